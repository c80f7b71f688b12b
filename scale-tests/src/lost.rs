//! The same job written as if some of its nodes had never been there. A planner that loses those nodes must give the same plan.

use crate::job::{App, Job};

/// The job without a node: its entries, lines and ranges no longer name it. `None` when an app would then name no node at all,
/// because that asks for all nodes.
#[must_use]
pub fn without(job: &Job, node: &str) -> Option<Job> {
    let mut left = job.clone();
    let named = |app: &App| app.hosts.is_some() || app.hostfile.is_some();
    if !job.apps.iter().any(named) {
        return None;
    }
    for app in &mut left.apps {
        app.hosts = match &app.hosts {
            Some(text) => Some(entries(text, node)?),
            None => None,
        };
    }
    let hostfile = |app: &App, name: &str| app.hostfile.as_deref() == Some(name);
    for (name, text) in &mut left.files {
        if job.apps.iter().any(|app| hostfile(app, name)) {
            *text = lines(text, node)?;
        }
    }
    Some(left)
}

/// The host entries that do not name the node.
#[doc(hidden)]
pub fn entries(text: &str, node: &str) -> Option<String> {
    let kept: Vec<String> = split(text)
        .into_iter()
        .flat_map(|entry| one_entry(entry, node))
        .collect();
    (!kept.is_empty()).then(|| kept.join(","))
}

/// The entries between commas. A comma inside brackets separates nothing.
fn split(text: &str) -> Vec<&str> {
    let mut inside = 0_u32;
    let parts = text.split(|letter: char| {
        inside = match letter {
            '[' => inside + 1,
            ']' => inside.saturating_sub(1),
            _ => inside,
        };
        letter == ',' && inside == 0
    });
    parts.collect()
}

/// What is left of an entry: the entry itself, the other names of its range one by one, or nothing.
fn one_entry(entry: &str, node: &str) -> Vec<String> {
    let (name, slots) = match entry.find(':') {
        Some(at) => entry.split_at(at),
        None => (entry, ""),
    };
    let digits = node.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    if name == node || !digits.is_empty() && name == digits {
        return Vec::new();
    }
    let Some((first, last)) = range(name) else {
        return vec![entry.to_owned()];
    };
    match digits.parse::<u32>() {
        Ok(lost) if (first..=last).contains(&lost) => {
            let names = (first..=last).filter(|&number| number != lost);
            names.map(|number| format!("n{number}{slots}")).collect()
        }
        _ => vec![entry.to_owned()],
    }
}

/// The numbers of `n[8-11]`.
fn range(name: &str) -> Option<(u32, u32)> {
    let (first, last) = name
        .strip_prefix("n[")?
        .strip_suffix(']')?
        .split_once('-')?;
    Some((first.parse().ok()?, last.parse().ok()?))
}

/// The lines of a hostfile that do not name a node.
#[doc(hidden)]
pub fn lines(text: &str, node: &str) -> Option<String> {
    let named = |line: &&str| {
        let name = line.split_whitespace().next().unwrap_or_default();
        name == node || line.trim_end().ends_with(&format!("={node}")) && line.starts_with("rank ")
    };
    let kept: Vec<&str> = text.lines().filter(|line| !named(line)).collect();
    let names = |line: &&str| !line.starts_with('^') && !line.is_empty();
    let any = kept.iter().any(names);
    any.then(|| kept.iter().map(|line| format!("{line}\n")).collect())
}
