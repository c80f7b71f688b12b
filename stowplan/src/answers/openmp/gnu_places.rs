//! The places of GNU: words and lists of `OMP_PLACES`, and `GOMP_CPU_AFFINITY`.

use super::machine::{Cpu, Machine};
use super::refused::Refused;
use super::scan::Scan;
use roaring::RoaringBitmap;

/// The most cpus that the places of one list may have together.
pub(super) const LISTED_MAX: u64 = 1 << 19;

/// Words of `OMP_PLACES`.
pub(super) const WORDS: &[&str] = &["threads", "cores", "sockets", "ll_caches", "numa_domains"];

/// The places of `OMP_PLACES`; `None`: the value is not valid.
pub(super) fn places(
    value: &str,
    machine: &Machine,
    mask: &RoaringBitmap,
) -> Result<Option<Vec<RoaringBitmap>>, Refused> {
    let mut scan = Scan::new(value);
    scan.blanks();
    let Some(word) = WORDS.iter().find(|word| scan.word(word)) else {
        return list(value, mask);
    };
    let Some(most) = count(scan) else {
        return Ok(None);
    };
    let mut places = of_word(word, machine, mask)?;
    places.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    Ok(Some(places))
}

/// Whether a value is a word, with a count or none, or a list.
pub(super) fn is_understood(value: &str) -> bool {
    let mut scan = Scan::new(value);
    scan.blanks();
    match WORDS.iter().any(|word| scan.word(word)) {
        true => count(scan).is_some(),
        false => numbers(value).is_some(),
    }
}

/// What stands behind a word: nothing, or `(N)`; `None`: something else.
fn count(mut scan: Scan<'_>) -> Option<i64> {
    if scan.blanks().is_done() {
        return Some(i64::MAX);
    }
    let opens = scan.take(b'(');
    let number = scan.blanks().number().filter(|&number| number > 0)?;
    let closes = scan.blanks().take(b')');
    (opens && closes && scan.blanks().is_done()).then_some(number)
}

/// The places of a word. Without `OMP_PLACES` they are those of `threads`.
pub(super) fn of_word(
    word: &str,
    machine: &Machine,
    mask: &RoaringBitmap,
) -> Result<Vec<RoaringBitmap>, Refused> {
    match word {
        "cores" => Ok(walk(machine, mask, |cpu| (cpu.package, cpu.core))),
        "sockets" => Ok(walk(machine, mask, |cpu| (cpu.package, 0))),
        "numa_domains" => {
            let own = machine.numa.iter().map(|node| node & mask);
            Ok(own.filter(|node| !node.is_empty()).collect())
        }
        "ll_caches" => last_cache(machine, mask).map(|cache| vec![cache]),
        _ => {
            let cores = walk(machine, mask, |cpu| (cpu.package, cpu.core));
            let alone = |cpu: u32| RoaringBitmap::from_iter([cpu]);
            Ok(cores
                .iter()
                .flat_map(|core| core.iter().map(alone))
                .collect())
        }
    }
}

/// Objects in the order in which their first cpus stand in the mask.
fn walk(
    machine: &Machine,
    mask: &RoaringBitmap,
    object: impl Fn(&Cpu) -> (u32, u32),
) -> Vec<RoaringBitmap> {
    let mut rows = std::collections::BTreeMap::new();
    let mut places: Vec<RoaringBitmap> = Vec::new();
    for cpu in mask.iter().filter_map(|os| machine.cpu(os)) {
        let row = *rows.entry(object(cpu)).or_insert(places.len());
        if row == places.len() {
            places.push(RoaringBitmap::new());
        }
        places[row].insert(cpu.os);
    }
    places
}

/// The last-level cache of the lowest cpu: libgomp never finds a second one.
fn last_cache(machine: &Machine, mask: &RoaringBitmap) -> Result<RoaringBitmap, Refused> {
    let lowest = mask.min().and_then(|os| machine.cpu(os));
    let cache = lowest.and_then(|cpu| {
        let levels = (0..cpu.caches.len()).rev();
        let mut there = levels.filter_map(|level| Some((level, cpu.caches[level]?)));
        there.next()
    });
    let (level, cache) = cache
        .ok_or_else(|| Refused::unknown("OMP_PLACES=ll_caches", "the topology has no caches"))?;
    Ok(machine.sharing(mask, |cpu| cpu.caches[level] == Some(cache)))
}

/// A list being read. `None` from its functions: the variable is not valid.
struct List<'t> {
    scan: Scan<'t>,
    /// Numbers from here on are outside.
    end: i64,
    listed: u64,
}

/// The end of the words of the mask that libgomp keeps: numbers from there on are outside.
fn end(mask: &RoaringBitmap) -> i64 {
    64 * (i64::from(mask.max().unwrap_or(0)) / 64 + 1)
}

fn list(value: &str, mask: &RoaringBitmap) -> Result<Option<Vec<RoaringBitmap>>, Refused> {
    let mut list = List {
        scan: Scan::new(value),
        end: end(mask),
        listed: 0,
    };
    let read = list.read();
    if list.listed > LISTED_MAX {
        return Err(Refused::unknown(
            "OMP_PLACES",
            "its places have more than 524288 cpus together",
        ));
    }
    let within = |places: Vec<RoaringBitmap>| {
        let cut = places.iter().map(|place| place & mask);
        cut.filter(|place| !place.is_empty()).collect::<Vec<_>>()
    };
    Ok(read.map(within).filter(|places| !places.is_empty()))
}

/// All numbers of a list, also those that are taken out of it again; `None`: it is no list.
pub(super) fn numbers(value: &str) -> Option<RoaringBitmap> {
    let mut list = List {
        scan: Scan::new(value),
        end: 1 << 20,
        listed: 0,
    };
    let mut all = RoaringBitmap::new();
    loop {
        let without = list.scan.blanks().take(b'!');
        let place = list.place()?;
        let (count, stride) = list.repeats(65_535)?;
        let mut places = Vec::new();
        let count = if without { 1 } else { count.unwrap_or(1) };
        list.copies(place, count, stride, &mut places)?;
        places.iter().for_each(|place| all |= place);
        if list.scan.blanks().is_done() {
            return Some(all);
        }
        if !list.scan.take(b',') {
            return None;
        }
    }
}

impl List<'_> {
    fn read(&mut self) -> Option<Vec<RoaringBitmap>> {
        let mut places: Vec<RoaringBitmap> = Vec::new();
        loop {
            let without = self.scan.blanks().take(b'!');
            let place = self.place()?;
            let (count, stride) = self.repeats(65_535)?;
            if without && count.is_some() {
                return None;
            }
            if without {
                let found = places.iter().position(|own| *own == place)?;
                places.remove(found);
            } else {
                self.copies(place, count.unwrap_or(1), stride, &mut places)?;
            }
            if self.scan.blanks().is_done() {
                return Some(places);
            }
            if !self.scan.take(b',') {
                return None;
            }
        }
    }

    /// The place, and copies of it, each moved from the one before.
    fn copies(
        &mut self,
        place: RoaringBitmap,
        count: i64,
        stride: i64,
        places: &mut Vec<RoaringBitmap>,
    ) -> Option<()> {
        let mut place = place;
        for at in 0..count {
            if at > 0 {
                let moved = place.iter().map(|cpu| self.within(i64::from(cpu) + stride));
                place = moved.collect::<Option<RoaringBitmap>>()?;
            }
            self.count(place.len())?;
            places.push(place.clone());
        }
        Some(())
    }

    fn count(&mut self, cpus: u64) -> Option<()> {
        self.listed = self.listed.saturating_add(cpus);
        (self.listed <= LISTED_MAX).then_some(())
    }

    fn within(&self, cpu: i64) -> Option<u32> {
        let inside = (0..self.end).contains(&cpu);
        inside.then(|| u32::try_from(cpu).ok()).flatten()
    }

    /// `{S,S,…}` or a bare number.
    fn place(&mut self) -> Option<RoaringBitmap> {
        if !self.scan.blanks().take(b'{') {
            let cpu = self.scan.number()?;
            return Some(RoaringBitmap::from_iter([self.within(cpu)?]));
        }
        let (mut place, mut without) = (RoaringBitmap::new(), RoaringBitmap::new());
        loop {
            let out = self.scan.blanks().take(b'!');
            let first = self.scan.blanks().number()?;
            let (count, stride) = self.repeats(i64::MAX)?;
            match (out, count) {
                (true, Some(_)) => return None,
                (true, None) => {
                    without.insert(self.within(first)?);
                }
                (false, count) => {
                    for at in 0..count.unwrap_or(1) {
                        self.count(1)?;
                        place.insert(self.within(first + at * stride)?);
                    }
                }
            }
            self.scan.blanks();
            if self.scan.take(b'}') {
                break;
            }
            if !self.scan.take(b',') {
                return None;
            }
        }
        let there = without.is_subset(&place);
        place -= without;
        (there && !place.is_empty()).then_some(place)
    }

    /// `:count` or `:count:stride`, or nothing.
    fn repeats(&mut self, most: i64) -> Option<(Option<i64>, i64)> {
        if !self.scan.blanks().take(b':') {
            return Some((None, 1));
        }
        let count = self
            .scan
            .blanks()
            .number()
            .filter(|&count| count >= 1 && count <= most)?;
        let stride = match self.scan.blanks().take(b':') {
            true => self.scan.blanks().signed()?,
            false => 1,
        };
        Some((Some(count), stride))
    }
}

/// The places of `GOMP_CPU_AFFINITY`, one a cpu, not cut with the mask; `None`: the value is not valid.
pub(super) fn of_cpu_affinity(
    value: &str,
    mask: &RoaringBitmap,
) -> Result<Option<Vec<RoaringBitmap>>, Refused> {
    let Some(items) = value_items(value) else {
        return Ok(None);
    };
    let mut places = Vec::new();
    for (first, last, step) in items {
        let mut cpu = first;
        while cpu <= last && cpu < end(mask) {
            places.extend(
                u32::try_from(cpu)
                    .ok()
                    .map(|cpu| RoaringBitmap::from_iter([cpu])),
            );
            cpu += step;
            if places.len() as u64 > LISTED_MAX {
                let why = "it lists more than 524288 cpus";
                return Err(Refused::unknown("GOMP_CPU_AFFINITY", why));
            }
        }
    }
    Ok(Some(places).filter(|places| !places.is_empty()))
}

/// First, last and step of each item.
fn value_items(value: &str) -> Option<Vec<(i64, i64, i64)>> {
    let mut scan = Scan::new(value);
    let mut items = Vec::new();
    loop {
        let first = any_base(scan.blanks())?;
        let (mut last, mut step) = (first, 1);
        if scan.take(b'-') {
            last = any_base(&mut scan)?;
            if scan.take(b':') {
                step = any_base(&mut scan)?;
            }
        }
        if last < first || step < 1 || last >= 65_536 {
            return None;
        }
        items.push((first, last, step));
        if scan.blanks().is_done() {
            return Some(items);
        }
        scan.take(b',');
        if scan.blanks().is_done() {
            return Some(items);
        }
    }
}

/// A number in C's notation: decimal, `0x…` or `0…`.
fn any_base(scan: &mut Scan<'_>) -> Option<i64> {
    let mut ahead = *scan;
    if ahead.take(b'0') {
        let base = if ahead.word("x") { 16 } else { 8 };
        let mut number: Option<i64> = (base == 8).then_some(0);
        while let Some(digit) = ahead
            .peek()
            .and_then(|byte| char::from(byte).to_digit(base))
        {
            ahead.take(ahead.peek().unwrap_or(0));
            let sum = number.unwrap_or(0) * i64::from(base) + i64::from(digit);
            number = Some(sum.min(1 << 40));
        }
        if number.is_some() {
            *scan = ahead;
        }
        return number;
    }
    scan.number()
}
