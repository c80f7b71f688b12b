//! Sure signs of whose line it is, when its first word does not say. Source: `lines.md` 1.

use stowplan_launchers::line::Launcher;

/// A word with its value, if it has one.
struct Word<'w> {
    name: &'w str,
    value: &'w str,
    said: String,
}

/// The signs of a line, in its order: the launcher, and the word or variable that says so.
pub(super) fn signs(words: &[String], variables: &[(String, String)]) -> Vec<(Launcher, String)> {
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

/// The options of a line, up to its first program, each with the word behind it.
fn options(words: &[String]) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Some(bare) = word.strip_prefix('-') else {
            continue;
        };
        let bare = bare.strip_prefix('-').unwrap_or(bare);
        let (name, value, said) = match bare.split_once('=') {
            Some((name, value)) => (name, value, word.clone()),
            None => {
                let value = words.get(at + 1).map_or("", String::as_str);
                (bare, value, format!("{word} {value}"))
            }
        };
        found.push(Word { name, value, said });
    }
    found
}

fn is_rr(value: &str) -> bool {
    value == "rr" || value.starts_with("rr:")
}

/// `depth`, `mask:…`, or `list:` with several sets.
fn is_pals(value: &str) -> bool {
    let value = value.strip_prefix("verbose,").unwrap_or(value);
    let list = value.strip_prefix("list:");
    value == "depth" || value.starts_with("mask:") || list.is_some_and(|sets| sets.contains(':'))
}
