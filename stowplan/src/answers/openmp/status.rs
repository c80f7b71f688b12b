//! What a runtime does with each variable: which it passes over, which it does not understand, which numbers it is given.

use super::gnu_places;
use super::kmp::{self, Type};
use super::llvm_places;
use super::process::Process;
use super::runtime::{Family, Runtime};
use super::{gnu_binding, llvm, subset};
use roaring::RoaringBitmap;

/// A variable, and what the runtime does with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passed {
    /// The variable.
    pub name: &'static str,
    /// Why it is passed over, or what the runtime does instead.
    pub why: String,
}

impl Passed {
    fn new(name: &'static str, why: impl Into<String>) -> Self {
        let why = why.into();
        Self { name, why }
    }
}

const KMP: [&str; 2] = ["KMP_AFFINITY", "KMP_HW_SUBSET"];

/// The variables that are set and have no say, as another wins or the runtime does not know them.
#[must_use]
pub fn passed_over(process: &Process<'_>, runtime: Runtime) -> Vec<Passed> {
    let set = |name: &&str| process.variables.get(name).is_some();
    match runtime.family() {
        Family::Gnu => {
            let own = KMP.into_iter().filter(|name| set(name));
            let mut passed: Vec<Passed> = own
                .map(|name| Passed::new(name, "gnu does not read it"))
                .collect();
            let winner = gnu_binding::winner(process.machine, process.mask, process.variables);
            let places = ["OMP_PLACES", "GOMP_CPU_AFFINITY"]
                .into_iter()
                .filter(|name| set(name));
            match winner {
                gnu_binding::Winner::False => passed.extend(
                    places.map(|name| Passed::new(name, "OMP_PROC_BIND=false wins over it")),
                ),
                gnu_binding::Winner::Places if set(&"GOMP_CPU_AFFINITY") => {
                    passed.push(Passed::new("GOMP_CPU_AFFINITY", "OMP_PLACES wins over it"))
                }
                gnu_binding::Winner::Places | gnu_binding::Winner::Other => {}
            }
            passed
        }
        Family::Llvm | Family::Intel => of_llvm(process, runtime),
    }
}

fn of_llvm(process: &Process<'_>, runtime: Runtime) -> Vec<Passed> {
    let variables = process.variables;
    let kind = variables
        .get("KMP_AFFINITY")
        .map(kmp::read)
        .and_then(|said| said.kind);
    let (winner, losers): (&str, &[&'static str]) = if kind.is_some() {
        (
            "KMP_AFFINITY",
            &["GOMP_CPU_AFFINITY", "OMP_PLACES", "OMP_PROC_BIND"],
        )
    } else if variables.get("GOMP_CPU_AFFINITY").is_some() {
        ("GOMP_CPU_AFFINITY", &["OMP_PLACES", "OMP_PROC_BIND"])
    } else if llvm::bind_wins(variables, runtime) {
        ("OMP_PROC_BIND", &["OMP_PLACES"])
    } else {
        ("", &[])
    };
    let losers = losers.iter().filter(|name| variables.get(name).is_some());
    let mut passed: Vec<Passed> = losers
        .map(|name| Passed::new(name, format!("{winner} wins over it")))
        .collect();
    let subset = variables.get("KMP_HW_SUBSET");
    if let Some(value) = subset {
        if kind == Some(Type::Disabled) {
            passed.push(Passed::new(
                "KMP_HW_SUBSET",
                "KMP_AFFINITY=disabled wins over it",
            ));
        } else if subset::is_passed_over(value, process.machine, process.mask, runtime) {
            let why = "it names what is not there, or more than there is";
            passed.push(Passed::new("KMP_HW_SUBSET", why));
        }
    }
    passed
}

/// The variables with a word or form that the runtime does not take, and what it does instead.
#[must_use]
pub fn not_understood(process: &Process<'_>, runtime: Runtime) -> Vec<Passed> {
    let variables = process.variables;
    let gnu = runtime.family() == Family::Gnu;
    let mut found = Vec::new();
    if let Some(value) = variables.get("OMP_PLACES") {
        let taken = match gnu {
            true => gnu_places::is_understood(value),
            false => llvm_places::is_understood(value),
        };
        let instead = match runtime.family() {
            Family::Gnu => "it is taken as not set",
            Family::Llvm => "it is read by its beginning, else as cores",
            Family::Intel => "it is read by its beginning, else as threads",
        };
        let words = if gnu {
            gnu_places::WORDS
        } else {
            llvm_places::WORDS
        };
        if !taken {
            found.push(Passed::new("OMP_PLACES", told(instead, words, value)));
        }
    }
    if let Some(value) = variables.get("OMP_PROC_BIND") {
        let taken = match gnu {
            true => gnu_binding::takes_proc_bind(variables),
            false => llvm::takes_proc_bind(variables),
        };
        let instead = match (gnu, runtime.since_llvm(18), llvm::is_bad(variables)) {
            (true, _, _) => "it is taken as not set",
            (false, true, true) => "nothing is bound",
            (false, false, true) => "threads go to places by their numbers",
            (false, _, false) => "what follows its beginning is passed over",
        };
        if !taken {
            found.push(Passed::new("OMP_PROC_BIND", told(instead, BINDS, value)));
        }
    }
    if let (false, Some(value)) = (gnu, variables.get("KMP_AFFINITY"))
        && kmp::read(value).strange
    {
        let words: Vec<&str> = kmp::TYPES.iter().map(|(word, _)| *word).collect();
        let why = told("what is not understood is passed over", &words, value);
        found.push(Passed::new("KMP_AFFINITY", why));
    }
    found
}

const BINDS: &[&str] = &["false", "true", "primary", "close", "spread"];

fn told(instead: &str, words: &[&str], value: &str) -> String {
    let lower = value.trim().to_ascii_lowercase();
    let word: String = lower
        .chars()
        .take_while(|sign| sign.is_ascii_alphanumeric() || *sign == '_')
        .collect();
    let near = stowplan_engine::text::words::nearest(words.iter().copied(), &word);
    match near {
        Some(near) if near != lower => format!("{instead}; the nearest word is {near}"),
        Some(_) | None => format!("{instead}; the words are {}", words.join(" ")),
    }
}

/// The numbers of the list in force that are not in the mask, and the variable.
#[must_use]
pub fn outside(process: &Process<'_>, runtime: Runtime) -> Option<(&'static str, RoaringBitmap)> {
    let variables = process.variables;
    let of = |name: &'static str| Some(name).zip(variables.get(name));
    let said = variables
        .get("KMP_AFFINITY")
        .map(kmp::read)
        .unwrap_or_default();
    let found = match runtime.family() {
        Family::Gnu => match gnu_binding::winner(process.machine, process.mask, variables) {
            gnu_binding::Winner::False => None,
            gnu_binding::Winner::Places => of("OMP_PLACES"),
            gnu_binding::Winner::Other => of("GOMP_CPU_AFFINITY"),
        },
        Family::Llvm | Family::Intel => match said.kind {
            Some(Type::Explicit) => of("KMP_AFFINITY"),
            Some(_) => None,
            None if variables.get("GOMP_CPU_AFFINITY").is_some() => of("GOMP_CPU_AFFINITY"),
            None if llvm::binds_by_places(variables, runtime) => of("OMP_PLACES"),
            None => None,
        },
    };
    let (name, value) = found?;
    let numbers = match name {
        "OMP_PLACES" => gnu_places::numbers(value)?,
        "KMP_AFFINITY" => kmp::numbers(said.list.as_deref()?),
        _ => kmp::numbers(&kmp::list(value)?),
    };
    let beyond = numbers - process.mask;
    (!beyond.is_empty()).then_some((name, beyond))
}
