//! Section 5: thread to place, each thread walked by itself.

use super::Rules;

/// A word of OMP_PROC_BIND.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Word {
    Primary,
    Close,
    Spread,
}

/// A thread's place, and its partition: these places, in order.
#[derive(Clone, Debug)]
struct Seat {
    place: usize,
    part: Vec<usize>,
}

impl Seat {
    /// The partition, begun at the seat's own place.
    fn round(&self) -> Vec<usize> {
        let at = self
            .part
            .iter()
            .position(|&place| place == self.place)
            .unwrap_or(0);
        let mut round = self.part.clone();
        round.rotate_left(at);
        round
    }
}

/// The place of each thread, the inner team of each outer thread behind one another.
pub(super) fn places(
    rules: Rules,
    words: &[Word],
    outer: usize,
    inner: Option<usize>,
    count: usize,
) -> Vec<usize> {
    let first = Seat {
        place: 0,
        part: (0..count).collect(),
    };
    let seats = team(rules, words[0], outer, &first, count);
    let Some(inner) = inner else {
        return seats.iter().map(|seat| seat.place).collect();
    };
    let word = words.get(1).copied().unwrap_or(words[words.len() - 1]);
    let mut places = Vec::new();
    for seat in &seats {
        places.extend(
            team(rules, word, inner, seat, count)
                .iter()
                .map(|own| own.place),
        );
    }
    places
}

fn team(rules: Rules, word: Word, threads: usize, seat: &Seat, count: usize) -> Vec<Seat> {
    let round = seat.round();
    let n = round.len();
    let stay = |place: usize| Seat {
        place,
        part: if word == Word::Spread {
            vec![place]
        } else {
            seat.part.clone()
        },
    };
    if word == Word::Primary || threads == 1 {
        return vec![seat.clone(); threads];
    }
    if word == Word::Close && threads <= n {
        return (0..threads)
            .map(|thread| Seat {
                place: round[thread],
                part: seat.part.clone(),
            })
            .collect();
    }
    if threads > n {
        let at = if rules == Rules::Gnu {
            crowd_gnu(threads, n)
        } else {
            crowd_llvm(threads, n)
        };
        return at.into_iter().map(|at| stay(round[at])).collect();
    }
    if rules == Rules::Gnu {
        return spread_gnu(threads, seat);
    }
    if n == count {
        return spread_llvm(threads, seat.place, count);
    }
    part_llvm(threads, &round)
}

fn crowd_gnu(threads: usize, n: usize) -> Vec<usize> {
    let mut at = Vec::new();
    for place in 0..n {
        for _ in 0..threads / n {
            at.push(place);
        }
    }
    for left in 0..threads % n {
        at.push(left);
    }
    at
}

/// The first place, and then each that is a gap further on, takes one more, until all that are left are used.
fn crowd_llvm(threads: usize, n: usize) -> Vec<usize> {
    let (full, mut left) = (threads / n, threads % n);
    let gap = n.checked_div(left).unwrap_or(n);
    let mut at = Vec::new();
    let (mut place, mut since) = (0, gap);
    while at.len() < threads {
        let mut own = full;
        if left > 0 && since == gap {
            own += 1;
            left -= 1;
            since = 0;
        }
        since += 1;
        for _ in 0..own {
            at.push(place % n);
        }
        place += 1;
    }
    at.truncate(threads);
    at
}

fn spread_gnu(threads: usize, seat: &Seat) -> Vec<Seat> {
    let n = seat.part.len();
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut rest = seat.part.as_slice();
    for part in 0..threads {
        let (own, behind) = rest.split_at(n / threads + usize::from(part < n % threads));
        parts.push(own.to_vec());
        rest = behind;
    }
    let home = parts
        .iter()
        .position(|part| part.contains(&seat.place))
        .unwrap_or(0);
    parts.rotate_left(home);
    let seats = parts.into_iter().enumerate().map(|(number, part)| Seat {
        place: if number == 0 { seat.place } else { part[0] },
        part,
    });
    seats.collect()
}

#[expect(
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the rule is in floating point; places are few"
)]
fn spread_llvm(threads: usize, p: usize, count: usize) -> Vec<Seat> {
    let x = (count + 1) as f64 / threads as f64;
    let mut c = p as f64;
    let mut seats = Vec::new();
    for _ in 0..threads {
        let mut a = c.floor() as i64;
        let mut b = (c + x).floor() as i64 - 1;
        c += x;
        let [n, p] = [count, p].map(|own| i64::try_from(own).unwrap_or(i64::MAX));
        if a >= n {
            if p == 0 {
                (a, b) = (0, 0);
            } else {
                a -= n;
                b -= n;
                if a == p + 1 {
                    a -= 1;
                }
                if b == p {
                    b -= 1;
                }
            }
        }
        b = b.min(n - 1);
        let (a, b) = (a as usize, b.max(0) as usize);
        let part = if a <= b {
            (a..=b).collect()
        } else {
            (a..count).chain(0..=b).collect()
        };
        seats.push(Seat { place: a, part });
    }
    seats
}

fn part_llvm(threads: usize, round: &[usize]) -> Vec<Seat> {
    let n = round.len();
    let mut left = n % threads;
    let gap = threads.checked_div(left).unwrap_or(1);
    let (mut at, mut count) = (0, gap);
    let mut seats = Vec::new();
    for _ in 0..threads {
        let mut own = n / threads;
        if left > 0 && count == gap {
            own += 1;
            left -= 1;
            count = 0;
        }
        count += 1;
        let part: Vec<usize> = (at..at + own).map(|at| round[at % n]).collect();
        seats.push(Seat {
            place: part[0],
            part,
        });
        at += own;
    }
    seats
}
