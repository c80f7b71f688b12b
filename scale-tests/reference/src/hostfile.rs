//! What a hostfile says about its nodes. `docs/semantics.md` section 1, "hostfile".

use crate::names;
use crate::refusal::Refusal;
use stowplan_engine::text::host_types::{Hostfile, HostfileLine, HostfileWhat, NameRange};

/// A node of a file.
pub(crate) struct Named {
    pub(crate) name: String,
    /// `None`: the slots are inferred.
    pub(crate) slots: Option<u64>,
    pub(crate) max_slots: Option<u64>,
    /// Its `slots=`, plus the lines that add to it.
    pub(crate) said: Option<u64>,
}

/// Sums over the lines of one node, while the lines are read.
struct Lines {
    name: String,
    /// How many lines name it.
    mentions: u64,
    /// How many of them are `rank N=` lines. Such a line is a slot, even if it is the only line.
    ranked: u64,
    said: Option<u64>,
    max_slots: Option<u64>,
}

/// The nodes of a file, in file order, without those that the file excludes.
pub(crate) fn nodes(file: &Hostfile) -> Result<Vec<Named>, Refusal> {
    let mut all: Vec<Lines> = Vec::new();
    let mut excluded = Vec::new();
    for line in &file.lines {
        match &line.what {
            HostfileWhat::Exclude(range) => excluded.extend(short_names(range)),
            HostfileWhat::Nth(_) | HostfileWhat::Empty(_) => {
                return Err(bad(file, line, "a relative name cannot make the pool"));
            }
            HostfileWhat::Name(range) => mention(&mut all, file, line, range, 0)?,
            HostfileWhat::Ranked(range) => mention(&mut all, file, line, range, 1)?,
        }
    }
    all.retain(|lines| !excluded.contains(&lines.name));
    Ok(all.into_iter().map(Lines::add_up).collect())
}

fn mention(
    all: &mut Vec<Lines>,
    file: &Hostfile,
    line: &HostfileLine,
    range: &NameRange,
    ranked: u64,
) -> Result<(), Refusal> {
    for name in short_names(range) {
        let at = all
            .iter()
            .position(|lines| lines.name == name)
            .unwrap_or_else(|| {
                all.push(Lines {
                    name,
                    mentions: 0,
                    ranked: 0,
                    said: None,
                    max_slots: None,
                });
                all.len() - 1
            });
        let lines = &mut all[at];
        if line.slots.is_some() && (lines.mentions > lines.ranked || lines.said.is_some()) {
            return Err(bad(file, line, "its slots were counted before"));
        }
        lines.mentions += 1;
        lines.ranked += ranked;
        lines.said = lines.said.or(line.slots.map(u64::from));
        lines.max_slots = line.max_slots.map(u64::from).or(lines.max_slots);
        let counted = lines.said.map(|said| said + lines.mentions - 1);
        if lines
            .max_slots
            .zip(counted)
            .is_some_and(|(max, counted)| max < counted)
        {
            return Err(bad(file, line, "max_slots is below slots"));
        }
    }
    Ok(())
}

impl Lines {
    fn add_up(self) -> Named {
        let said = self.said.map(|said| said + self.mentions - 1);
        let counted = (self.mentions > 1 || self.ranked > 0).then_some(self.mentions);
        let slots = said.or(self.max_slots).or(counted);
        Named {
            name: self.name,
            slots,
            max_slots: self.max_slots,
            said,
        }
    }
}

fn short_names(range: &NameRange) -> Vec<String> {
    names::expand(range)
        .iter()
        .map(|name| names::short(name))
        .collect()
}

fn bad(file: &Hostfile, line: &HostfileLine, why: &str) -> Refusal {
    Refusal::new(
        "bad-hostfile",
        format!("{}:{}: {why}", file.path, line.line),
    )
}
