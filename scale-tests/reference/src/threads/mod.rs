//! Where OpenMP's threads go, by plain loops over threads: what `docs/threads.md` rests on, read a second time.
//!
//! It shares nothing with the code it is compared with. Places are sets of numbers, and every rule is walked step by step.

// The numbers of threads.
mod numbers;
// From places to threads.
mod team;
// GNU: the places.
mod gnu;
// The layers of a machine, as LLVM sees them.
mod layers;
// LLVM and Intel: what decides, words and lists of places.
mod llvm;
// KMP_AFFINITY, KMP_HW_SUBSET.
mod balanced;
mod kmp;
mod subset;

use std::collections::BTreeSet;

/// Cpus by OS number.
pub type Set = BTreeSet<u32>;

/// Who made the cpus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Maker {
    /// Intel.
    Intel,
    /// AMD.
    Amd,
}

/// A hardware thread, with the numbers of what it is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cpu {
    /// Its OS number.
    pub os: u32,
    /// Its package.
    pub package: u32,
    /// Its NUMA node.
    pub numa: u32,
    /// Its caches, L1 first, each numbered over the machine.
    pub caches: [u32; 3],
    /// Its core, numbered over the machine.
    pub core: u32,
    /// Its number in the core.
    pub thread: u32,
}

/// A machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hardware {
    /// Who made its cpus.
    pub maker: Maker,
    /// Its cpus, by package, core and thread.
    pub cpus: Vec<Cpu>,
}

impl Hardware {
    fn all(&self) -> Set {
        self.cpus.iter().map(|cpu| cpu.os).collect()
    }

    fn cpu(&self, os: u32) -> Option<&Cpu> {
        self.cpus.iter().find(|cpu| cpu.os == os)
    }

    /// How many cores have cpus of a set.
    #[must_use]
    pub fn cores(&self, set: &Set) -> usize {
        let own = self.cpus.iter().filter(|cpu| set.contains(&cpu.os));
        own.map(|cpu| cpu.core).collect::<BTreeSet<u32>>().len()
    }
}

/// Whose rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rules {
    /// GNU, any version.
    Gnu,
    /// LLVM of a major version.
    Llvm(u32),
    /// Intel 2026.
    Intel,
}

impl Rules {
    /// Whether they are LLVM's of this version or newer; Intel's count as newer than 23.
    fn since(self, version: u32) -> bool {
        match self {
            Self::Gnu => false,
            Self::Llvm(own) => own >= version,
            Self::Intel => true,
        }
    }
}

/// What is asked: a process.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// Its machine.
    pub hardware: &'a Hardware,
    /// The cpus that it starts with.
    pub mask: &'a Set,
    /// The cpus that the kernel lets it have.
    pub allowed: &'a Set,
    /// Its variables, in the order of its environment.
    pub env: &'a [(String, String)],
    /// Whose rules hold.
    pub rules: Rules,
    /// Levels of parallel regions.
    pub levels: u32,
}

impl Asked<'_> {
    fn var(&self, name: &str) -> Option<&str> {
        let found = self.env.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }

    fn place_of(&self, name: &str) -> Option<usize> {
        self.env.iter().position(|(own, _)| own == name)
    }
}

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// `not-modelled`.
    NotModelled,
    /// `runtime-aborts`.
    Aborts,
}

/// A thread: its number, its place, its cpus.
pub type Thread = (String, Option<usize>, Set);

/// Where the threads of a process run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Told {
    /// Threads of the outer team.
    pub number: u32,
    /// Where the first thread may run before any region.
    pub start: Set,
    /// The places.
    pub places: Vec<Set>,
    /// Whether threads are bound.
    pub bound: bool,
    /// The threads.
    pub threads: Vec<Thread>,
}

/// How threads are bound, before their number is known.
enum Bound {
    /// Not at all.
    Free(Set),
    /// To places: as they are told, and what their threads get.
    Places(Vec<(Set, Set)>, By, Option<usize>),
    /// `balanced`, to units of a size.
    Balanced(balanced::Unit),
}

/// Which thread goes to which place.
enum By {
    Words(Vec<team::Word>),
    Number(usize),
}

/// Where the threads of a process run.
///
/// # Errors
/// Why there is no answer.
pub fn threads(asked: &Asked<'_>) -> Result<Told, Why> {
    let (bound, mask, available) = match asked.rules {
        Rules::Gnu => (gnu::bound(asked), asked.mask.clone(), asked.mask.len()),
        Rules::Llvm(_) | Rules::Intel => llvm::bound(asked)?,
    };
    let covers = match &bound {
        Bound::Places(_, _, covers) => *covers,
        Bound::Free(_) | Bound::Balanced(_) => None,
    };
    let available = covers.map_or(available, |covers| covers.min(available));
    let (outer, inner) = numbers::teams(asked, available)?;
    let names: Vec<String> = (0..outer)
        .flat_map(|first| match inner {
            None => vec![first.to_string()],
            Some(inner) => (0..inner)
                .map(|second| format!("{first}.{second}"))
                .collect(),
        })
        .collect();
    let together = |cpus: &Set, bound: bool| Told {
        number: outer,
        start: asked.mask.clone(),
        places: Vec::new(),
        bound,
        threads: names
            .iter()
            .map(|name| (name.clone(), None, cpus.clone()))
            .collect(),
    };
    match bound {
        Bound::Free(cpus) => Ok(together(&cpus, false)),
        Bound::Balanced(_) if inner.is_some() => Err(Why::NotModelled),
        Bound::Balanced(_) if outer == 1 => Ok(together(&mask, false)),
        Bound::Balanced(unit) => {
            let sets = balanced::sets(asked, &mask, unit, outer as usize)?;
            let mut told = together(&mask, true);
            for (thread, set) in told.threads.iter_mut().zip(sets) {
                thread.2 = allowed(asked, &set)?;
            }
            Ok(told)
        }
        Bound::Places(places, _, _) if places.len() == 1 && places[0].1 == *asked.mask => {
            Ok(together(asked.mask, true))
        }
        Bound::Places(places, by, _) => seat(asked, &places, &by, &names, (outer, inner)),
    }
}

fn allowed(asked: &Asked<'_>, set: &Set) -> Result<Set, Why> {
    let own: Set = set.intersection(asked.allowed).copied().collect();
    if own.is_empty() {
        Err(Why::Aborts)
    } else {
        Ok(own)
    }
}

fn seat(
    asked: &Asked<'_>,
    places: &[(Set, Set)],
    by: &By,
    names: &[String],
    (outer, inner): (u32, Option<u32>),
) -> Result<Told, Why> {
    let count = places.len();
    let at: Vec<usize> = match by {
        By::Number(_) if outer > 1 && inner.is_some_and(|inner| inner > 1) && count > 1 => {
            return Err(Why::NotModelled);
        }
        By::Number(offset) => (0..names.len())
            .map(|thread| (thread + offset) % count)
            .collect(),
        By::Words(words) => team::places(
            asked.rules,
            words,
            outer as usize,
            inner.map(|inner| inner as usize),
            count,
        ),
    };
    let mut threads = Vec::new();
    for (number, (name, &place)) in names.iter().zip(&at).enumerate() {
        let cpus = match allowed(asked, &places[place].1) {
            Ok(cpus) => cpus,
            // GNU's first thread is there already.
            Err(_) if asked.rules == Rules::Gnu && number == 0 => asked.mask.clone(),
            Err(why) => return Err(why),
        };
        threads.push((name.clone(), Some(place), cpus));
    }
    let first: Set = places[0].1.intersection(asked.allowed).copied().collect();
    let start = if asked.rules == Rules::Gnu && !first.is_empty() {
        first
    } else {
        asked.mask.clone()
    };
    Ok(Told {
        number: outer,
        start,
        places: places.iter().map(|(told, _)| told.clone()).collect(),
        bound: true,
        threads,
    })
}
