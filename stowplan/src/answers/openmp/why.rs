//! Why a thread runs where it does: mask, places, numbers, the rule with its numbers, cpus. Each number is the answer's.

use super::answer::{Thread, Threads};
use super::binding::{Binding, Rule};
use super::process::Process;
use super::runtime::Family;
use super::seats::Bind;
use super::status;
use super::{gnu_binding, llvm};
use crate::answers::explain::Word;
use stowplan_engine::count::counted;
use stowplan_engine::table::cpusets::list_form;

/// The most places that are listed.
const SHOWN: usize = 8;

/// Where a number or a binding comes from that no variable says.
struct Default {
    option: &'static str,
    value: String,
    rule: &'static str,
}

/// The words that decided: variables that are set, and what stands in for those that are not.
pub(super) fn words(process: &Process<'_>, answer: &Threads) -> Vec<Word> {
    let variables = process.variables;
    let said = variables.iter().map(|(name, value)| Word {
        option: known(name),
        value: value.to_owned(),
        from: "app",
        rule: None,
    });
    let unset = |name: &str| variables.get(name).is_none();
    let mut defaults = Vec::new();
    if unset("OMP_NUM_THREADS") {
        defaults.push(Default {
            option: "OMP_NUM_THREADS",
            value: answer.number().to_string(),
            rule: "hardware threads are counted where nobody says a number",
        });
    }
    if unset("OMP_PROC_BIND") && answer.is_bound() && answer.bind() != "kmp" {
        defaults.push(Default {
            option: "OMP_PROC_BIND",
            value: answer.bind().to_owned(),
            rule: "places alone bind threads",
        });
    }
    if unset("OMP_PLACES") && !answer.places().is_empty() && answer.bind() != "kmp" {
        let gnu = answer.runtime().family() == Family::Gnu;
        if unset("GOMP_CPU_AFFINITY") {
            defaults.push(Default {
                option: "OMP_PLACES",
                value: if gnu { "threads" } else { "cores" }.to_owned(),
                rule: "OMP_PROC_BIND alone takes these places",
            });
        }
    }
    let defaults = defaults.into_iter().map(|own| Word {
        option: own.option,
        value: own.value,
        from: "default",
        rule: Some(own.rule),
    });
    said.chain(defaults).collect()
}

/// The name of a variable that counts.
fn known(name: &str) -> &'static str {
    let all = crate::job::thread_words::MODELLED;
    all.iter()
        .find(|own| **own == name)
        .copied()
        .unwrap_or("OMP_DYNAMIC")
}

/// The sentences on a thread, from the mask to its cpus.
///
/// Cost: that of the answer.
pub(super) fn sentences(process: &Process<'_>, answer: &Threads, thread: &Thread) -> Vec<String> {
    let mut lines = vec![format!(
        "mask: the process starts with cpus {}, hardware threads of {}",
        list_form(process.mask),
        counted(process.machine.cores(process.mask) as u64, "core")
    )];
    lines.extend(passed(process, answer));
    lines.push(places(process, answer));
    lines.push(numbers(process, answer));
    let why = Why {
        process,
        answer,
        thread,
    };
    lines.push(why.formula());
    lines.push(why.cpus());
    lines
}

/// What has no say, or is understood in another way.
fn passed(process: &Process<'_>, answer: &Threads) -> Vec<String> {
    let runtime = answer.runtime();
    let over = status::passed_over(process, runtime).into_iter();
    let strange = status::not_understood(process, runtime).into_iter();
    let each = over.chain(strange).map(|own| {
        let value = process.variables.get(own.name).unwrap_or_default();
        format!("{}={value} has no say as written: {}", own.name, own.why)
    });
    let outside = status::outside(process, runtime).map(|(name, numbers)| {
        format!(
            "cut: {name} names cpus {}, which the mask does not have",
            list_form(&numbers)
        )
    });
    each.chain(outside).collect()
}

/// The variable that says the places, as it was written or is understood.
fn said_by(process: &Process<'_>, answer: &Threads) -> String {
    let set = |name: &'static str| {
        let value = process.variables.get(name)?;
        let over = status::passed_over(process, answer.runtime());
        let in_force = over.iter().all(|own| own.name != name);
        in_force.then(|| format!("{name}={value}"))
    };
    let gnu = answer.runtime().family() == Family::Gnu;
    let kmp = if gnu { None } else { set("KMP_AFFINITY") }.filter(|_| answer.bind() == "kmp");
    let invalid = |name: &str| {
        let strange = status::not_understood(process, answer.runtime());
        gnu && strange.iter().any(|own| own.name == name)
    };
    let places = set("OMP_PLACES").filter(|_| !invalid("OMP_PLACES"));
    let found = if gnu {
        places.or_else(|| set("GOMP_CPU_AFFINITY"))
    } else {
        kmp.or_else(|| set("GOMP_CPU_AFFINITY")).or(places)
    };
    let word = if gnu { "threads" } else { "cores" };
    found.unwrap_or_else(|| format!("OMP_PROC_BIND without OMP_PLACES, which takes {word}"))
}

/// The places, in their order.
fn places(process: &Process<'_>, answer: &Threads) -> String {
    let places = answer.places();
    if places.is_empty() && !answer.is_bound() {
        return "places: none, nothing binds the threads".to_owned();
    }
    if places.is_empty() {
        return match answer.sets() {
            [_] => "places: one, which is the whole mask".to_owned(),
            _ => "places: none, balanced gives each thread its cpus".to_owned(),
        };
    }
    let order = match answer.runtime().family() {
        Family::Gnu => "in the order in which the mask meets them",
        Family::Llvm | Family::Intel => "by package, core and thread",
    };
    let own = said_by(process, answer);
    let listed = own.contains('{')
        || own.starts_with("GOMP")
        || own.contains("explicit")
        || own
            .split_once('=')
            .is_some_and(|(_, value)| value.starts_with(|sign: char| sign.is_ascii_digit()));
    let order = if listed { "as they are listed" } else { order };
    let shown: Vec<String> = places.iter().take(SHOWN).map(list_form).collect();
    let dots = if places.len() > SHOWN { " | …" } else { "" };
    format!(
        "places: {} by {own}, {order}: {}{dots}",
        places.len(),
        shown.join(" | ")
    )
}

/// How many threads and places there are, and why.
fn numbers(process: &Process<'_>, answer: &Threads) -> String {
    let variables = process.variables;
    let number = answer.number();
    let inner = answer.len() / (number as usize).max(1);
    let of = match (
        variables.get("OMP_NUM_THREADS"),
        variables.get("OMP_THREAD_LIMIT"),
    ) {
        (Some(value), None) => format!("OMP_NUM_THREADS={value}"),
        (Some(value), Some(limit)) => {
            format!("OMP_NUM_THREADS={value}, OMP_THREAD_LIMIT={limit}")
        }
        (None, Some(limit)) => format!("no OMP_NUM_THREADS, OMP_THREAD_LIMIT={limit}"),
        (None, None) => "no OMP_NUM_THREADS: hardware threads are counted".to_owned(),
    };
    let teams = if answer.threads().iter().any(|own| own.inner.is_some()) {
        format!(", {inner} in each inner team")
    } else {
        String::new()
    };
    format!(
        "numbers: T = {number}{teams} ({of}), P = {}",
        answer.places().len()
    )
}

/// A thread of an answer.
struct Why<'a> {
    process: &'a Process<'a>,
    answer: &'a Threads,
    thread: &'a Thread,
}

impl Why<'_> {
    fn cpus(&self) -> String {
        let name = self.thread.name();
        let cpus = list_form(self.answer.cpus(self.thread));
        match self.thread.place {
            Some(place) => format!("place {place} is cpus {cpus}: thread {name} runs there"),
            None => format!("thread {name} runs on cpus {cpus}"),
        }
    }

    fn binding(&self) -> Option<Binding> {
        let Process {
            machine,
            mask,
            variables,
            ..
        } = *self.process;
        let runtime = self.answer.runtime();
        match runtime.family() {
            Family::Gnu => gnu_binding::binding(machine, mask, variables).ok(),
            Family::Llvm | Family::Intel => llvm::decide(machine, mask, variables, runtime)
                .ok()
                .map(|own| own.binding),
        }
    }

    /// The rule that takes the thread to its place, with its numbers.
    fn formula(&self) -> String {
        let Some(place) = self.thread.place else {
            return match self.answer.is_bound() {
                false => "rule: nothing is bound, the kernel moves threads in the mask".to_owned(),
                true => "rule: no place is chosen".to_owned(),
            };
        };
        let (Some(Binding::Places { rule, .. }), places) =
            (self.binding(), self.answer.places().len())
        else {
            return format!("rule: thread {} is at place {place}", self.thread.name());
        };
        match rule {
            Rule::Number { offset } => {
                let at = match self.thread.inner {
                    None => u64::from(self.thread.outer),
                    Some(inner) => {
                        let team =
                            self.answer.len() as u64 / u64::from(self.answer.number().max(1));
                        u64::from(self.thread.outer) * team + u64::from(inner)
                    }
                };
                format!("rule: by number, ({at} + {offset}) mod {places} = {place}")
            }
            Rule::Words(words) => self.of_words(&words, place, places),
        }
    }

    fn of_words(&self, words: &[Bind], place: usize, places: usize) -> String {
        let bind = words.first().copied().unwrap_or(Bind::Close);
        let threads = self.answer.number() as usize;
        let Some(inner) = self.thread.inner else {
            let at = self.thread.outer as usize;
            return format!("rule: {}", self.team(bind, threads, at, place, places));
        };
        let first = self.answer.threads().iter();
        let mut first = first.filter(|own| own.outer == self.thread.outer);
        let home = first.next().and_then(|own| own.place).unwrap_or(place);
        let outer = self.team(bind, threads, self.thread.outer as usize, home, places);
        let own = words.get(1).or(words.last()).copied().unwrap_or(bind);
        let team = self.answer.len() / threads.max(1);
        format!(
            "rule: outer {outer}; inner team of {team}, {}: it begins at place {home} and stays in the part that is its own, thread {inner} of it is at place {place}",
            own.word()
        )
    }

    /// The sentence on a team of the outer level.
    fn team(&self, bind: Bind, threads: usize, at: usize, place: usize, places: usize) -> String {
        let gnu = self.answer.runtime().family() == Family::Gnu;
        let word = bind.word();
        if threads == 1 || bind == Bind::Primary {
            return format!("{word}, T = {threads}: all at the place of the first thread, {place}");
        }
        let head = format!("{word}, T = {threads}, P = {places}");
        let (full, left) = (threads / places, threads % places);
        match (bind, threads > places, gnu) {
            (Bind::Primary, _, _) => head,
            (Bind::Close, false, _) => {
                format!("{head}: T <= P, one place a thread in order: thread {at} at place {place}")
            }
            (Bind::Close | Bind::Spread, true, true) => format!(
                "{head}: T > P, S = T div P = {full} at each place in order, then T mod P = {left} more, one a place from 0: thread {at} at place {place}"
            ),
            (Bind::Close | Bind::Spread, true, false) => {
                let gap = places.checked_div(left).unwrap_or(places);
                format!(
                    "{head}: T > P, S = T div P = {full} at each place, one more at T mod P = {left} of them, {gap} apart: thread {at} at place {place}"
                )
            }
            (Bind::Spread, false, true) => {
                let (size, longer) = (places / threads, places % threads);
                format!(
                    "{head}: T parts, the first P mod T = {longer} of {} places, the others of P div T = {size}: thread {at} at the first of part {at}, place {at} * {size} + {} = {place}",
                    size + 1,
                    at.min(longer)
                )
            }
            (Bind::Spread, false, false) => format!(
                "{head}: x = (P + 1) / T = {} / {threads}: thread {at} at floor({at} x) = {place}",
                places + 1
            ),
        }
    }
}
