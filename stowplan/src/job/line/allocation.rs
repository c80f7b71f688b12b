//! Hosts before a line of prterun's family that names hosts itself: they are its allocation, in which the line's words choose.

use crate::job::options::Meaning;
use crate::job::words::CommandLine;
use std::collections::HashMap;

/// What errors call the allocation: a hostfile that nobody wrote.
pub const NAME: &str = "the hosts before the launcher";

/// Moves the hosts of our own words into an allocation, if the line names hosts too: its text, as that of a hostfile.
pub fn take(ours: &mut CommandLine, words: &[String]) -> Option<String> {
    let names = |option: &crate::job::words::OptionWords| option.meaning == Some(Meaning::Host);
    let theirs = CommandLine::read(words);
    if !theirs.apps.iter().any(|app| app.options.iter().any(names)) {
        return None;
    }
    // A name that stands twice has the slots of both, as it has in a host list.
    let mut said: Vec<(String, Option<u32>)> = Vec::new();
    let mut rows: HashMap<String, usize> = HashMap::new();
    for app in &mut ours.apps {
        for option in app.options.iter().filter(|option| names(option)) {
            for entry in option.values.iter().flat_map(|list| entries(list)) {
                let (name, slots) = match entry.rsplit_once(':') {
                    // Slots that are no number are to be inferred.
                    Some((name, slots)) => (name, slots.parse().ok()),
                    None => (entry, Some(1)),
                };
                let row = *rows.entry(name.to_owned()).or_insert(said.len());
                match said.get_mut(row) {
                    Some((_, own)) => {
                        *own = own.zip(slots).and_then(|(own, more)| own.checked_add(more));
                    }
                    None => said.push((name.to_owned(), slots)),
                }
            }
        }
        app.options.retain(|option| !names(option));
    }
    if said.is_empty() {
        return None;
    }
    let lines = said.iter().map(|(name, slots)| match slots {
        Some(slots) => format!("{name} slots={slots}\n"),
        None => format!("{name}\n"),
    });
    let text = lines.collect();
    if ours.apps.is_empty() {
        ours.apps.push(Default::default());
    }
    ours.apps[0].set(Meaning::Hostfile, "--hostfile", Some(NAME));
    Some(text)
}

/// The entries of a host list, parted at commas outside brackets.
fn entries(list: &str) -> Vec<&str> {
    let mut depth = 0_u32;
    let parts = list.split(move |sign| {
        match sign {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        sign == ',' && depth == 0
    });
    parts.filter(|entry| !entry.is_empty()).collect()
}
