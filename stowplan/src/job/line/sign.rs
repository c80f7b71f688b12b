//! Sure signs of whose line it is, when its first word does not say. Source: `lines.md` 1.

use crate::job::options::{Takes, spelled};
use crate::launchers::line::Launcher;

/// A word with its value, if it has one.
struct Word<'w> {
    name: &'w str,
    value: &'w str,
    said: String,
}

/// The signs of a line, in its order: the launcher, and the word or variable that says so.
pub fn signs(words: &[String], variables: &[(String, String)]) -> Vec<(Launcher, String)> {
    let line = options(words);
    let binds = line.iter().any(|word| word.name == "cpu-bind");
    let mut found = Vec::new();
    for word in &line {
        let launcher = match word.name {
            "rankmap" | "order-nodes" | "skip-launch-node" => Some(Launcher::Hydra),
            "bind-to" | "binding" if word.value.starts_with("user:") || is_rr(word.value) => {
                Some(Launcher::Hydra)
            }
            "genv" | "env" if word.value.starts_with("I_MPI_") => Some(Launcher::Intel),
            "cpu-bind" if is_pals(word.value) => Some(Launcher::Pals),
            "d" | "depth" if binds => Some(Launcher::Pals),
            "gpu-bind" if word.value.starts_with("list:") => Some(Launcher::Pals),
            _ => None,
        };
        found.extend(launcher.map(|launcher| (launcher, word.said.clone())));
    }
    for (name, _) in variables {
        let rows = [
            ("I_MPI_", Launcher::Intel),
            ("HYDRA_", Launcher::Hydra),
            ("PALS_", Launcher::Pals),
        ];
        let row = rows.iter().find(|(begin, _)| name.starts_with(begin));
        found.extend(row.map(|(_, launcher)| (*launcher, name.clone())));
    }
    found
}

/// Words of launchers called `mpirun` that take no value and are none of ours. Any other word that is not ours takes one.
const PLAIN: &[&str] = &[
    "genvall",
    "genvnone",
    "envall",
    "envnone",
    "l",
    "prepend-rank",
    "prepend-timestamp",
    "print-rank-map",
    "print-all-exitcodes",
    "silent-abort",
    "enable-x",
    "disable-x",
    "hybrid-hosts",
    "skip-launch-node",
    "nolocal",
    "rr",
    "disable-auto-cleanup",
    "enable-auto-cleanup",
    "disable-hostname-propagation",
    "enable-hostname-propagation",
    "tune",
    "aps",
    "mps",
    "gdb",
    "prot",
    "info",
    "label",
    "line-buffer",
    "no-line-buffer",
    "transfer",
    "no-transfer",
    "exclusive",
    "shared",
    "abort-on-failure",
    "no-abort-on-failure",
    "spindle",
    "no-vni",
];

/// The options of the programs of a line, each with the word behind it. What stands behind a program is the program's.
fn options(words: &[String]) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let Some(bare) = word.strip_prefix('-').filter(|bare| !bare.is_empty()) else {
            let rest = words[at..].iter().position(|word| word == ":");
            at = rest.map_or(words.len(), |behind| at + behind + 1);
            continue;
        };
        let bare = bare.strip_prefix('-').unwrap_or(bare);
        let next = words.get(at + 1).map_or("", String::as_str);
        let (name, value, said) = match bare.split_once('=') {
            Some((name, value)) => (name, value, word.clone()),
            None => (bare, next, format!("{word} {next}")),
        };
        at += 1 + values(word, name, next);
        found.push(Word { name, value, said });
    }
    found
}

/// How many words behind an option are its values.
fn values(word: &str, name: &str, next: &str) -> usize {
    let spelled = spelled(word);
    let number = next.bytes().all(|byte| byte.is_ascii_digit());
    match name {
        _ if word.contains('=') || spelled.value.is_some() => 0,
        "genv" | "env" => 2 - usize::from(next.contains('=')),
        // Depth for PALS, debugging for prterun.
        "d" => usize::from(number),
        _ => match spelled.row.map(|row| row.takes) {
            Some(Takes::Nothing | Takes::Maybe) => 0,
            Some(Takes::One) => 1,
            Some(Takes::Two) => 2,
            None => usize::from(!PLAIN.contains(&name)),
        },
    }
}

fn is_rr(value: &str) -> bool {
    value == "rr" || value.starts_with("rr:")
}

/// The launcher of which variables are a sign, and the first of them.
pub(super) fn of_variables(variables: &[(String, String)]) -> Option<(Launcher, String)> {
    signs(&[], variables).into_iter().next()
}

/// `depth`, `mask:…`, or `list:` with several sets.
fn is_pals(value: &str) -> bool {
    let value = value.strip_prefix("verbose,").unwrap_or(value);
    let list = value.strip_prefix("list:");
    value == "depth" || value.starts_with("mask:") || list.is_some_and(|sets| sets.contains(':'))
}
