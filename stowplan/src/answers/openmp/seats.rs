//! From the places to the threads of a team: `primary`, `close`, `spread`, as GNU and LLVM understand them.

use super::runtime::Family;

/// How the threads of a team are bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bind {
    Primary,
    Close,
    Spread,
}

impl Bind {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::Close => "close",
            Self::Spread => "spread",
        }
    }
}

/// Where a thread is: its place, and the places among which its own teams stay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seat {
    pub place: usize,
    /// First and last place of its partition; a partition may go round the end of the list.
    first: usize,
    last: usize,
}

impl Seat {
    /// The seat of the first thread of a program with this many places.
    pub fn of_program(places: usize) -> Self {
        let last = places.saturating_sub(1);
        Self {
            place: 0,
            first: 0,
            last,
        }
    }

    fn at(self, place: usize) -> Self {
        Self { place, ..self }
    }

    const fn alone(place: usize) -> Self {
        let (first, last) = (place, place);
        Self { place, first, last }
    }

    /// The place behind `place` in the partition.
    fn next(self, place: usize, places: usize) -> usize {
        if place == self.last {
            self.first
        } else if place + 1 == places {
            0
        } else {
            place + 1
        }
    }

    fn len(self, places: usize) -> usize {
        match self.first <= self.last {
            true => self.last - self.first + 1,
            false => places - self.first + self.last + 1,
        }
    }
}

/// The seats of a team of `threads` whose first thread is at `seat`. `places`: of the whole list.
pub fn team(family: Family, bind: Bind, threads: usize, seat: Seat, places: usize) -> Vec<Seat> {
    let own = seat.len(places);
    if bind == Bind::Primary || threads <= 1 {
        return vec![seat; threads];
    }
    if bind == Bind::Close && threads <= own {
        return walk(seat, places)
            .map(|place| seat.at(place))
            .take(threads)
            .collect();
    }
    let gnu = family == Family::Gnu;
    match (threads > own, gnu) {
        (true, true) => gnu_crowded(bind, threads, seat, places),
        (true, false) => llvm_crowded(bind, threads, seat, places),
        (false, true) => gnu_spread(threads, seat, places),
        (false, false) if own == places => llvm_spread(threads, seat, places),
        (false, false) => llvm_spread_in_part(threads, seat, places),
    }
}

/// The places of a partition from the seat's on, again and again.
fn walk(seat: Seat, places: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(seat.place), move |&place| {
        Some(seat.next(place, places))
    })
}

fn seated(bind: Bind, seat: Seat, place: usize) -> Seat {
    match bind {
        Bind::Spread => Seat::alone(place),
        Bind::Primary | Bind::Close => seat.at(place),
    }
}

/// More threads than places: equally many at each, then one more at each from where the walk is.
fn gnu_crowded(bind: Bind, threads: usize, seat: Seat, places: usize) -> Vec<Seat> {
    let own = seat.len(places);
    let full = threads / own;
    let in_order = walk(seat, places).take(own);
    let equal = in_order.flat_map(|place| std::iter::repeat_n(place, full));
    let more = walk(seat, places).take(threads % own);
    equal
        .chain(more)
        .map(|place| seated(bind, seat, place))
        .collect()
}

/// More threads than places: those that are left over go to places at equal distances.
fn llvm_crowded(bind: Bind, threads: usize, seat: Seat, places: usize) -> Vec<Seat> {
    let own = seat.len(places);
    let full = threads / own;
    let mut left = threads % own;
    let gap = own.checked_div(left).unwrap_or(own);
    let (mut place, mut here, mut count) = (seat.place, 0, gap);
    let mut seats = Vec::with_capacity(threads);
    for _ in 0..threads {
        seats.push(seated(bind, seat, place));
        here += 1;
        let one_more = left > 0 && count == gap;
        if here == full && one_more {
            continue;
        }
        if here == full + 1 && one_more {
            place = seat.next(place, places);
            (here, count) = (0, 1);
            left -= 1;
        } else if here == full {
            place = seat.next(place, places);
            (here, count) = (0, count + 1);
        }
    }
    seats
}

/// The partition in as many parts as threads, the longer ones first.
fn gnu_spread(threads: usize, seat: Seat, places: usize) -> Vec<Seat> {
    let own = seat.len(places);
    let (size, longer) = (own / threads, own % threads);
    let parts = (0..threads).scan(seat.first, |first, part| {
        let length = size + usize::from(part < longer);
        let last = *first + length - 1;
        let own = Seat {
            place: *first,
            first: *first,
            last,
        };
        *first = last + 1;
        Some(own)
    });
    let parts: Vec<Seat> = parts.collect();
    let holds = |part: &Seat| (part.first..=part.last).contains(&seat.place);
    let home = parts.iter().position(holds).unwrap_or(0);
    let mut seats: Vec<Seat> = parts[home..]
        .iter()
        .chain(&parts[..home])
        .copied()
        .collect();
    if let Some(first) = seats.first_mut() {
        first.place = seat.place;
    }
    seats
}

/// The whole list in parts of equal length in floating point, as libomp does it: its rounding decides the place.
#[expect(
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "libomp computes in double; places are few, and never negative"
)]
fn llvm_spread(threads: usize, seat: Seat, places: usize) -> Vec<Seat> {
    let spacing = (places + 1) as f64 / threads as f64;
    let mut current = seat.place as f64;
    let mut seats = Vec::with_capacity(threads);
    for _ in 0..threads {
        let mut first = current as usize;
        let mut last = ((current + spacing) as usize).saturating_sub(1);
        current += spacing;
        if first >= places && seat.place == 0 {
            (first, last) = (0, 0);
        } else if first >= places {
            first -= places;
            last = last.saturating_sub(places);
            first -= usize::from(first == seat.place + 1);
            last = last.saturating_sub(usize::from(last == seat.place));
        }
        last = last.min(places - 1);
        seats.push(Seat {
            place: first,
            first,
            last,
        });
    }
    seats
}

/// A part of the list in parts again: the places left over go to parts at equal distances.
fn llvm_spread_in_part(threads: usize, seat: Seat, places: usize) -> Vec<Seat> {
    let own = seat.len(places);
    let (size, mut left) = (own / threads, own % threads);
    let gap = threads.checked_div(left).unwrap_or(1);
    let (mut place, mut count) = (seat.place, gap);
    let mut seats = Vec::with_capacity(threads);
    for _ in 0..threads {
        let first = place;
        for _ in 1..size {
            place = seat.next(place, places);
        }
        if left > 0 && count == gap {
            place = seat.next(place, places);
            left -= 1;
            count = 0;
        }
        seats.push(Seat {
            place: first,
            first,
            last: place,
        });
        count += 1;
        place = seat.next(place, places);
    }
    seats
}
