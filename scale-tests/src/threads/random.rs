//! Random processes: masks that plans give and awkward ones, variables that people write and odd ones.

use super::Case;
use super::machines::Known;
use crate::choices::Choices;
use stowplan_reference::threads::{Rules, Set};

const RULES: [Rules; 9] = [
    Rules::Gnu,
    Rules::Gnu,
    Rules::Llvm(15),
    Rules::Llvm(16),
    Rules::Llvm(17),
    Rules::Llvm(18),
    Rules::Llvm(19),
    Rules::Llvm(23),
    Rules::Intel,
];
const WORDS: [&str; 14] = [
    "threads",
    "cores",
    "cores",
    "cores",
    "sockets",
    "ll_caches",
    "numa_domains",
    "Cores",
    "cores(2)",
    "threads(3)",
    "sockets(1)",
    "cores(0)",
    "core",
    "l2_caches",
];
const BINDS: [&str; 12] = [
    "close",
    "spread",
    "close",
    "spread",
    "true",
    "false",
    "primary",
    "master",
    "spred",
    "TRUE",
    "close,spread",
    "spread,close",
];
const KMP: [&str; 16] = [
    "compact",
    "scatter",
    "none",
    "disabled",
    "granularity=fine,compact",
    "granularity=fine,compact,1,0",
    "granularity=fine,scatter",
    "scatter,1",
    "compact,1",
    "granularity=thread,logical,1",
    "physical",
    "norespect,compact",
    "noduplicates,compact",
    "granularity=fine",
    "verbose",
    "balanced",
];

/// A process on a machine.
pub(super) fn case(choices: &mut Choices<'_>, known: &Known) -> Case {
    let mask = mask(choices, known);
    let rules = *choices.pick(&RULES);
    let mut env: Vec<(String, String)> = Vec::new();
    let mut set = |name: &str, value: String| env.push((name.to_owned(), value));
    let levels = if choices.once_in(6) { 2 } else { 1 };
    if !choices.once_in(4) {
        let most = u32::try_from(mask.len() + 3).unwrap_or(3);
        let first = choices.within(1, most);
        set(
            "OMP_NUM_THREADS",
            if levels == 2 {
                format!("{first},{}", choices.within(1, 5))
            } else {
                first.to_string()
            },
        );
    }
    let bind = (!choices.once_in(3)).then(|| (*choices.pick(&BINDS)).to_owned());
    let places = (!choices.once_in(3)).then(|| places(choices, &mask, rules));
    let first = choices.once_in(2);
    for turn in [first, !first] {
        let (name, value) = if turn {
            ("OMP_PLACES", &places)
        } else {
            ("OMP_PROC_BIND", &bind)
        };
        if let Some(value) = value {
            set(name, value.clone());
        }
    }
    if choices.once_in(8) {
        set("GOMP_CPU_AFFINITY", numbers(choices, &mask));
    }
    if choices.once_in(6) {
        set("KMP_AFFINITY", (*choices.pick(&KMP)).to_owned());
    }
    if choices.once_in(10) {
        let text = format!("{}c,{}t", choices.within(1, 3), 1);
        set("KMP_HW_SUBSET", text);
    }
    if choices.once_in(12) {
        set("OMP_THREAD_LIMIT", choices.within(1, 9).to_string());
    }
    if choices.once_in(12) {
        set("OMP_MAX_ACTIVE_LEVELS", choices.within(0, 2).to_string());
    }
    Case {
        mask,
        caged: choices.once_in(4),
        env,
        rules,
        levels,
    }
}

/// Whole objects, every second cpu, a stretch, or any cpus.
fn mask(choices: &mut Choices<'_>, known: &Known) -> Set {
    let cpus = &known.plain.cpus;
    let one = *choices.pick(cpus);
    let count = u32::try_from(cpus.len()).unwrap_or(1);
    let kept: Set = match choices.below(7) {
        0 => cpus.iter().map(|cpu| cpu.os).collect(),
        1 => cpus
            .iter()
            .filter(|cpu| cpu.package == one.package)
            .map(|cpu| cpu.os)
            .collect(),
        2 => cpus
            .iter()
            .filter(|cpu| cpu.caches[2] == one.caches[2])
            .map(|cpu| cpu.os)
            .collect(),
        3 => cpus
            .iter()
            .filter(|cpu| cpu.os % 2 == one.os % 2)
            .map(|cpu| cpu.os)
            .collect(),
        4 => cpus
            .iter()
            .filter(|cpu| cpu.core == one.core)
            .map(|cpu| cpu.os)
            .collect(),
        5 => {
            let len = choices.within(1, count);
            (one.os..(one.os + len).min(count)).collect()
        }
        _ => cpus
            .iter()
            .filter(|_| choices.once_in(2))
            .map(|cpu| cpu.os)
            .collect(),
    };
    if kept.is_empty() {
        Set::from([one.os])
    } else {
        kept
    }
}

/// A cpu of the mask, or seldom any number.
fn cpu(choices: &mut Choices<'_>, mask: &Set) -> u32 {
    let own: Vec<u32> = mask.iter().copied().collect();
    if choices.once_in(8) {
        choices.below(70)
    } else {
        *choices.pick(&own)
    }
}

fn places(choices: &mut Choices<'_>, mask: &Set, rules: Rules) -> String {
    if !choices.once_in(3) {
        return (*choices.pick(&WORDS)).to_owned();
    }
    let mut parts = Vec::new();
    for _ in 0..choices.within(1, 4) {
        let first = cpu(choices, mask);
        let own = match choices.below(6) {
            0 => first.to_string(),
            1 => format!("{{{first},{}}}", cpu(choices, mask)),
            2 => format!("{{{first}:{}}}", choices.within(1, 4)),
            3 => format!(
                "{{{first}:{}:{}}}",
                choices.within(1, 3),
                choices.within(1, 4)
            ),
            4 => format!(
                "{{{first}}}:{}:{}",
                choices.within(1, 4),
                choices.within(1, 3)
            ),
            _ => format!("{{{first}}}"),
        };
        parts.push(own);
    }
    // GNU takes a place out of the list; the others add what is not in it.
    if choices.once_in(8) {
        let own = parts[0].clone();
        if !own.contains("}:") && (rules != Rules::Gnu || own.starts_with('{')) {
            parts.push(format!("!{own}"));
        }
    }
    parts.join(",")
}

fn numbers(choices: &mut Choices<'_>, mask: &Set) -> String {
    let mut items = Vec::new();
    for _ in 0..choices.within(1, 3) {
        let first = cpu(choices, mask);
        items.push(match choices.below(3) {
            0 => first.to_string(),
            1 => format!("{first}-{}", first + choices.below(4)),
            _ => format!("{first}-{}:2", first + choices.below(6)),
        });
    }
    items.join(if choices.once_in(2) { "," } else { " " })
}
