//! The places of LLVM and Intel: words and lists of `OMP_PLACES`.

use super::binding::Place;
use super::gnu_places::LISTED_MAX;
use super::layers::{Layer, Layers};
use super::machine::Machine;
use super::refused::Refused;
use super::runtime::{Family, Runtime};
use super::scan::Scan;
use roaring::RoaringBitmap;

/// Words of `OMP_PLACES`, in the order in which they are tried.
pub(super) const WORDS: &[&str] = &[
    "threads",
    "cores",
    "numa_domains",
    "ll_caches",
    "sockets",
    "dice",
    "modules",
    "tiles",
    "l3_caches",
    "l2_caches",
    "l1_caches",
];

/// What `OMP_PLACES` gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Given {
    pub(super) places: Vec<Place>,
    /// Whether a word gave them.
    pub(super) by_word: bool,
}

/// What a process has: its machine, the cpus that the runtime looks at, whose rules hold.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) machine: &'a Machine,
    pub(super) layers: &'a Layers,
    pub(super) mask: &'a RoaringBitmap,
    pub(super) runtime: Runtime,
}

/// The places of `OMP_PLACES`; there may be none.
pub(super) fn places(value: &str, seen: Seen<'_>) -> Result<Given, Refused> {
    let mut scan = Scan::new(value);
    if let Some(word) = WORDS.iter().find(|word| scan.word(word)) {
        let layer = layer(word, seen.layers)?;
        return Ok(by_word(layer, count(scan), seen));
    }
    match list(value, seen)? {
        Some(places) => Ok(Given {
            places,
            by_word: false,
        }),
        None if seen.runtime.family() == Family::Intel => Ok(by_word(Layer::Thread, None, seen)),
        None => Ok(by_word(Layer::Core, None, seen)),
    }
}

/// Whether a value is a word, with a count or none, or a list.
pub(super) fn is_understood(value: &str) -> bool {
    let mut scan = Scan::new(value);
    if WORDS.iter().any(|word| scan.word(word)) {
        let counted = count(scan).is_some() && value.trim_end().ends_with(')');
        return scan.blanks().is_done() || counted;
    }
    let mut own = value.bytes().filter(|byte| !byte.is_ascii_whitespace());
    let digit = own.any(|byte| byte.is_ascii_digit());
    digit && super::gnu_places::numbers(value).is_some()
}

fn by_word(layer: Layer, count: Option<usize>, seen: Seen<'_>) -> Given {
    let mut objects = seen.layers.objects(layer);
    objects.truncate(count.unwrap_or(usize::MAX));
    let places = objects.into_iter().map(Place::plain).collect();
    Given {
        places,
        by_word: true,
    }
}

/// The layer of a word; a layer that the machine lacks is cores.
fn layer(word: &str, layers: &Layers) -> Result<Layer, Refused> {
    let what = format!("OMP_PLACES={word}");
    let found = match word {
        "threads" => Some(Layer::Thread),
        "sockets" => Some(Layer::Package),
        "numa_domains" => layers.find(Layer::Numa),
        "ll_caches" => Some(layers.find_last_cache(&what)?),
        "l3_caches" => layers.find_cache(Layer::L3, &what)?,
        "l2_caches" => layers.find_cache(Layer::L2, &what)?,
        "l1_caches" => layers.find_cache(Layer::L1, &what)?,
        _ => None,
    };
    Ok(found.unwrap_or(Layer::Core))
}

/// The count behind a word: `(N)` with N of at least 1; anything else is passed over.
fn count(mut scan: Scan<'_>) -> Option<usize> {
    if !scan.blanks().take(b'(') {
        return None;
    }
    let number = scan.blanks().number().filter(|&number| number > 0)?;
    let closes = scan.blanks().take(b')');
    closes.then_some(usize::try_from(number).unwrap_or(usize::MAX))
}

/// A list being read.
struct List<'t> {
    scan: Scan<'t>,
    mask: &'t RoaringBitmap,
    machine: &'t RoaringBitmap,
    runtime: Runtime,
    listed: u64,
    places: Vec<Place>,
}

/// Why a list was not read to its end.
enum Stop {
    /// It is no list.
    NoList,
    Refused(Refused),
}

impl From<Refused> for Stop {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

fn list(value: &str, seen: Seen<'_>) -> Result<Option<Vec<Place>>, Refused> {
    let mut list = List {
        scan: Scan::new(value),
        mask: seen.mask,
        machine: seen.machine.all(),
        runtime: seen.runtime,
        listed: 0,
        places: Vec::new(),
    };
    match list.read() {
        Ok(()) => Ok(Some(list.places)),
        Err(Stop::NoList) => Ok(None),
        Err(Stop::Refused(refused)) => Err(refused),
    }
}

/// A place being made: its cpus, and whether a cpu of the mask was found for it.
struct Made {
    cpus: RoaringBitmap,
    found: bool,
    /// Whether it has cpus that are not in the mask, after a `!`.
    outside: bool,
}

impl List<'_> {
    fn read(&mut self) -> Result<(), Stop> {
        loop {
            let place = self.place()?;
            match self.scan.blanks().take(b':') {
                true => {
                    let (count, stride) = self.repeats()?;
                    self.copies(place, count, stride)?;
                }
                false if place.found => self.push(&place)?,
                false => {}
            }
            if self.scan.blanks().is_done() {
                return Ok(());
            }
            if !self.scan.take(b',') {
                return Err(Stop::NoList);
            }
        }
    }

    fn push(&mut self, place: &Made) -> Result<(), Stop> {
        self.count(place.cpus.len().max(1))?;
        if place.outside && self.runtime.since_llvm(16) && !self.runtime.since_llvm(20) {
            return Err(Stop::Refused(Refused::Aborts {
                runtime: self.runtime.exact(),
                message: "a place after ! has cpus that the process may not use".to_owned(),
                instead: "list the places that threads shall have, without !".to_owned(),
            }));
        }
        self.places.push(Place {
            told: &place.cpus & self.mask,
            cpus: place.cpus.clone(),
        });
        Ok(())
    }

    fn count(&mut self, cpus: u64) -> Result<(), Stop> {
        self.listed = self.listed.saturating_add(cpus);
        if self.listed > LISTED_MAX {
            let why = "its places have more than 524288 cpus together";
            return Err(Stop::Refused(Refused::unknown("OMP_PLACES", why)));
        }
        Ok(())
    }

    /// The cpu of this number, if it is in the mask.
    fn within(&self, cpu: i64) -> Option<u32> {
        let cpu = u32::try_from(cpu).ok()?;
        self.mask.contains(cpu).then_some(cpu)
    }

    /// `{S,S,…}`, a number, or `!` and a place.
    fn place(&mut self) -> Result<Made, Stop> {
        let mut without = 0_u32;
        while self.scan.blanks().take(b'!') {
            without += 1;
        }
        let mut place = Made {
            cpus: RoaringBitmap::new(),
            found: false,
            outside: false,
        };
        if self.scan.take(b'{') {
            self.subplaces(&mut place)?;
        } else {
            let cpu = self.scan.number().ok_or(Stop::NoList)?;
            place.cpus.extend(self.within(cpu));
        }
        place.found = !place.cpus.is_empty();
        if without % 2 == 1 {
            place.cpus = self.machine - &place.cpus;
            if self.runtime.since_llvm(20) {
                place.cpus &= self.mask;
            }
            place.outside = !place.cpus.is_subset(self.mask);
        }
        Ok(place)
    }

    fn subplaces(&mut self, place: &mut Made) -> Result<(), Stop> {
        loop {
            let first = self.scan.blanks().number().ok_or(Stop::NoList)?;
            match self.scan.blanks().take(b':') {
                true => {
                    let (count, stride) = self.repeats()?;
                    for at in 0..count {
                        let Some(cpu) = self.within(first + at * stride) else {
                            break;
                        };
                        self.count(1)?;
                        place.cpus.insert(cpu);
                    }
                }
                false => place.cpus.extend(self.within(first)),
            }
            if self.scan.blanks().take(b'}') {
                return Ok(());
            }
            if !self.scan.take(b',') {
                return Err(Stop::NoList);
            }
        }
    }

    /// `count` or `count:stride`, behind a colon.
    fn repeats(&mut self) -> Result<(i64, i64), Stop> {
        let count = self.scan.blanks().number().ok_or(Stop::NoList)?;
        let stride = match self.scan.blanks().take(b':') {
            true => self.scan.many_signs().ok_or(Stop::NoList)?,
            false => 1,
        };
        Ok((count, stride))
    }

    /// The place, and each time the cpus of the last one that are in the mask, moved, if the result is in the mask.
    fn copies(&mut self, place: Made, count: i64, stride: i64) -> Result<(), Stop> {
        let mut place = place;
        for _ in 0..count {
            if !place.found {
                break;
            }
            self.push(&place)?;
            let own = &place.cpus & self.mask;
            let moved = own
                .iter()
                .filter_map(|cpu| self.within(i64::from(cpu) + stride));
            let cpus: RoaringBitmap = moved.collect();
            place = Made {
                found: !cpus.is_empty(),
                outside: false,
                cpus,
            };
        }
        Ok(())
    }
}
