//! `KMP_AFFINITY`: modifiers, a type, two numbers; and lists of cpus as LLVM reads them.

use super::scan::Scan;
use roaring::RoaringBitmap;

/// The type of `KMP_AFFINITY`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Type {
    None,
    Disabled,
    Compact,
    Scatter,
    Balanced,
    Explicit,
    Logical,
    Physical,
}

/// The word of each type.
pub(super) const TYPES: &[(&str, Type)] = &[
    ("none", Type::None),
    ("disabled", Type::Disabled),
    ("compact", Type::Compact),
    ("scatter", Type::Scatter),
    ("balanced", Type::Balanced),
    ("explicit", Type::Explicit),
    ("logical", Type::Logical),
    ("physical", Type::Physical),
];

/// Modifiers that say nothing about places.
const OTHERS: &[&str] = &[
    "noverbose",
    "verbose",
    "nowarnings",
    "warnings",
    "noreset",
    "reset",
    "respect",
    "duplicates",
];

/// What a granularity names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Granularity {
    Thread,
    Core,
    Package,
    Numa,
    L2,
    L3,
}

const GRANULARITIES: &[(&str, Granularity)] = &[
    ("fine", Granularity::Thread),
    ("thread", Granularity::Thread),
    ("core", Granularity::Core),
    ("socket", Granularity::Package),
    ("package", Granularity::Package),
    ("node", Granularity::Numa),
    ("numa_domain", Granularity::Numa),
    ("l2_cache", Granularity::L2),
    ("l3_cache", Granularity::L3),
    // LLVM without hwloc has no such layers.
    ("tile", Granularity::Core),
    ("die", Granularity::Core),
    ("module", Granularity::Core),
];

/// Whether the cpus that the process was started on bound the places.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Respect {
    #[default]
    Mask,
    Machine,
}

/// Whether the entries of a list repeat.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Duplicates {
    #[default]
    Kept,
    Dropped,
}

/// What `KMP_AFFINITY` says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Said {
    pub(super) kind: Option<Type>,
    pub(super) granularity: Option<Granularity>,
    pub(super) respect: Respect,
    pub(super) duplicates: Duplicates,
    /// Permute and offset.
    pub(super) numbers: [Option<i64>; 2],
    pub(super) list: Option<Vec<Entry>>,
    /// Whether a word or form was passed over.
    pub(super) strange: bool,
}

/// Reads the value.
pub(super) fn read(value: &str) -> Said {
    let mut said = Said::default();
    let mut scan = Scan::new(value);
    let mut numbers = 0;
    if scan.blanks().is_done() {
        return said;
    }
    loop {
        scan.blanks();
        if !said.item(&mut scan, &mut numbers) {
            said.strange = true;
            return said;
        }
        if scan.blanks().is_done() {
            return said;
        }
        if !scan.take(b',') {
            said.strange = true;
            return said;
        }
    }
}

impl Said {
    /// Reads one item; `false`: it is none.
    fn item(&mut self, scan: &mut Scan<'_>, numbers: &mut usize) -> bool {
        if let Some((_, kind)) = TYPES.iter().find(|(word, _)| scan.word(word)) {
            self.strange |= self.kind.is_some();
            self.kind.get_or_insert(*kind);
            return true;
        }
        if scan.word("norespect") {
            self.respect = Respect::Machine;
            return true;
        }
        if scan.word("noduplicates") {
            self.duplicates = Duplicates::Dropped;
            return true;
        }
        if OTHERS.iter().any(|word| scan.word(word)) {
            return true;
        }
        if scan.word("granularity") {
            return scan.blanks().take(b'=') && self.granularity(scan);
        }
        if scan.word("proclist") {
            return scan.blanks().take(b'=') && self.proclist(scan);
        }
        let Some(number) = scan.number() else {
            return false;
        };
        if let Some(own) = self.numbers.get_mut(*numbers) {
            *own = Some(number);
        }
        *numbers += 1;
        true
    }

    fn granularity(&mut self, scan: &mut Scan<'_>) -> bool {
        scan.blanks();
        let found = GRANULARITIES.iter().find(|(word, _)| scan.word(word));
        self.strange |= found.is_none();
        self.granularity = Some(found.map_or(Granularity::Core, |(_, own)| *own));
        if found.is_none() {
            while !matches!(scan.peek(), None | Some(b',')) {
                scan.take(scan.peek().unwrap_or(0));
            }
        }
        true
    }

    fn proclist(&mut self, scan: &mut Scan<'_>) -> bool {
        if !scan.blanks().take(b'[') {
            return false;
        }
        let Some(list) = entries(scan) else {
            return false;
        };
        let closes = scan.blanks().take(b']');
        if closes {
            self.list = Some(list);
        }
        closes
    }
}

/// An entry of a list of cpus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Entry {
    /// First, last, stride; a single cpu is a range of one.
    Range(i64, i64, i64),
    /// `{a,b}`: one place.
    Set(Vec<i64>),
}

/// The most cpus of a range.
const RANGE_MAX: i64 = 65_536;

/// Reads entries up to what is none; `None`: it is no list.
fn entries(scan: &mut Scan<'_>) -> Option<Vec<Entry>> {
    let mut entries = Vec::new();
    loop {
        if scan.blanks().is_done() {
            return Some(entries);
        }
        if scan.take(b'{') {
            entries.push(set(scan)?);
        } else {
            let digit = scan.peek().is_some_and(|byte| byte.is_ascii_digit());
            if !digit {
                return (!entries.is_empty()).then_some(entries);
            }
            entries.push(range(scan)?);
        }
        scan.blanks().take(b',');
    }
}

fn set(scan: &mut Scan<'_>) -> Option<Entry> {
    let mut cpus = vec![scan.blanks().number()?];
    loop {
        if scan.blanks().take(b'}') {
            return Some(Entry::Set(cpus));
        }
        scan.take(b',');
        cpus.push(scan.blanks().number()?);
    }
}

fn range(scan: &mut Scan<'_>) -> Option<Entry> {
    let first = scan.number()?;
    if !scan.blanks().take(b'-') {
        return Some(Entry::Range(first, first, 1));
    }
    let last = scan.blanks().number()?;
    let mut stride = 1;
    if scan.blanks().take(b':') {
        let sign = if scan.blanks().take(b'-') { -1 } else { 1 };
        stride = sign * scan.blanks().number()?;
    }
    let sound = stride != 0
        && (if stride > 0 {
            first <= last
        } else {
            first >= last
        })
        && (last - first) / stride <= RANGE_MAX;
    sound.then_some(Entry::Range(first, last, stride))
}

/// The list of `GOMP_CPU_AFFINITY`; `None`: it does not parse.
pub(super) fn list(value: &str) -> Option<Vec<Entry>> {
    let mut scan = Scan::new(value);
    let list = entries(&mut scan)?;
    scan.blanks().is_done().then_some(list)
}

/// The numbers of a list.
pub(super) fn numbers(entries: &[Entry]) -> RoaringBitmap {
    let mut all = RoaringBitmap::new();
    for entry in entries {
        match entry {
            Entry::Range(first, last, stride) => {
                let count = (last - first) / stride;
                let cpus = (0..=count).map(|at| first + at * stride);
                all.extend(cpus.filter_map(|cpu| u32::try_from(cpu).ok()));
            }
            Entry::Set(cpus) => all.extend(cpus.iter().filter_map(|&cpu| u32::try_from(cpu).ok())),
        }
    }
    all
}
