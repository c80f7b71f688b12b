//! The hosts of an allocation: those of our own words, else what the directives say, and the variables and files that name them.

use super::directives::{Asked, Batch};
use crate::job::error::{JobError, bad_words, told};
use crate::job::files::GivenFiles;
use crate::job::options::Meaning;
use crate::job::words::CommandLine;
use crate::launchers::line::names_of;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use stowplan_engine::error::SpecError;
use stowplan_engine::limit::TEXT_BYTES_MAX;
use stowplan_engine::table::names::NameRange;
use stowplan_engine::text::host_types::{EntrySlots, HostEntry};
use stowplan_engine::text::hostlist::read_hosts;

/// The file of each slot's node, by the variable that names it.
const FILES: &[(Batch, &str)] = &[
    (Batch::Pbs, "PBS_NODEFILE"),
    (Batch::Cobalt, "COBALT_NODEFILE"),
    (Batch::Lsf, "LSB_DJOB_HOSTFILE"),
];

/// Who names the hosts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Whose {
    /// The directives.
    #[default]
    Directives,
    /// Our own words.
    Ours,
    /// Nobody: the directives count them.
    Invented,
}

/// The hosts of an allocation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hosts {
    /// As `-H` takes them; `None`: nobody says which.
    pub(crate) list: Option<String>,
    pub(crate) whose: Whose,
    /// The variable that names the file of nodes.
    file: Option<&'static str>,
}

impl Hosts {
    /// The hosts of our own words, else those of directives.
    ///
    /// # Errors
    /// `bad-hostlist` for a list of our own that does not parse.
    pub(crate) fn of(ours: &CommandLine, said: Option<(Batch, &Asked)>) -> Result<Self, SpecError> {
        let file = said.and_then(|(batch, _)| FILES.iter().find(|(own, _)| *own == batch));
        let mut own = Self {
            file: file.map(|(_, name)| *name),
            ..Self::default()
        };
        let options = ours.apps.iter().flat_map(|app| &app.options);
        let mut lists = Vec::new();
        for option in options {
            match option.meaning {
                Some(Meaning::Host) => {
                    own.whose = Whose::Ours;
                    lists.extend(option.values.last().map(String::as_str));
                }
                Some(Meaning::Hostfile | Meaning::Here) => own.whose = Whose::Ours,
                _ => {}
            }
        }
        if own.whose == Whose::Ours {
            own.list = (!lists.is_empty()).then(|| lists.join(","));
            return Ok(own);
        }
        let Some((_, asked)) = said.filter(|(_, asked)| !asked.nodes.is_empty()) else {
            return Ok(own);
        };
        if let Some(named) = &asked.named {
            let slots = match asked.nodes[..] {
                [(_, Some(slots))] => format!(":{slots}"),
                _ => String::new(),
            };
            let each = entries(named)?;
            let list: Vec<String> = each
                .iter()
                .map(|(names, _)| format!("{}{slots}", spelled(names)))
                .collect();
            own.list = Some(list.join(","));
            return Ok(own);
        }
        let mut first = 0;
        let mut list = Vec::new();
        for &(count, slots) in &asked.nodes {
            let end = first + u64::from(count);
            let names = match count {
                1 => format!("n{first}"),
                _ => format!("n[{first}-{}]", end - 1),
            };
            list.push(match slots {
                Some(slots) => format!("{names}:{slots}"),
                None => names,
            });
            first = end;
        }
        own.list = Some(list.join(","));
        own.whose = Whose::Invented;
        Ok(own)
    }

    /// Their names alone, as a host list.
    pub(crate) fn names(&self) -> String {
        let entries = entries(self.list.as_deref().unwrap_or_default()).unwrap_or_default();
        let names: Vec<String> = entries.iter().map(|(names, _)| spelled(names)).collect();
        names.join(",")
    }

    /// The variables that a system makes of them.
    pub(crate) fn variables(&self, batch: Batch) -> BTreeMap<String, String> {
        let mut all = BTreeMap::new();
        if self.list.is_none() {
            return all;
        }
        if let Some(name) = self.file {
            all.insert(name.to_owned(), format!("${name}"));
        }
        if batch == Batch::Slurm {
            for name in ["SLURM_JOB_NODELIST", "SLURM_NODELIST"] {
                all.insert(name.to_owned(), self.names());
            }
        }
        all
    }

    /// The files that a system makes of them.
    ///
    /// # Errors
    /// `job-too-large` for a file of more bytes than a text may have.
    pub(crate) fn files(&self) -> Result<GivenFiles, JobError> {
        let mut files = GivenFiles::default();
        let (Some(name), Some(list)) = (self.file, &self.list) else {
            return Ok(files);
        };
        let mut text = String::new();
        for (names, slots) in entries(list)? {
            for name in names_of(&names) {
                let bytes = (name.len() as u64 + 1).saturating_mul(u64::from(slots));
                if text.len() as u64 + bytes > TEXT_BYTES_MAX as u64 {
                    return Err(told(
                        "job-too-large",
                        format!(
                            "${}: its file would be too long",
                            self.file.unwrap_or_default()
                        ),
                    ));
                }
                (0..slots).for_each(|_| {
                    // A text takes it.
                    let _ = writeln!(text, "{name}");
                });
            }
        }
        files.give(&format!("${name}"), &text);
        Ok(files)
    }
}

type Named = (NameRange, u32);

/// The entries of a host list with their slots, 1 if none are said.
fn entries(list: &str) -> Result<Vec<Named>, SpecError> {
    let bad = || {
        bad_words(
            "bad-hostlist",
            format!("{list}: no list of nodes by name"),
            Vec::new(),
        )
    };
    let read = read_hosts(list).map_err(|_| bad())?;
    read.into_iter()
        .map(|entry| match entry {
            HostEntry::Names(names, EntrySlots::Count(slots)) => Ok((names, slots)),
            HostEntry::Names(names, EntrySlots::One | EntrySlots::Infer) => Ok((names, 1)),
            HostEntry::Nth(_) | HostEntry::Empty(_) => Err(bad()),
        })
        .collect()
}

/// Names as a host list spells them.
fn spelled(names: &NameRange) -> String {
    let width = usize::from(names.width);
    let last = names.first + u64::from(names.count.max(1)) - 1;
    match (names.count, names.width) {
        (_, 0) => format!("{}{}", names.prefix, names.suffix),
        (1, _) => format!("{}{:0width$}{}", names.prefix, names.first, names.suffix),
        _ => format!(
            "{}[{:0width$}-{last:0width$}]{}",
            names.prefix, names.first, names.suffix
        ),
    }
}

/// Whether a line names hosts itself.
pub(crate) fn names_hosts(words: &[String]) -> bool {
    const NAMES: &[&str] = &[
        "H",
        "host",
        "hosts",
        "hostfile",
        "machinefile",
        "machine",
        "f",
    ];
    words.iter().any(|word| {
        let bare = word
            .strip_prefix('-')
            .map(|word| word.trim_start_matches('-'));
        let name = bare.map(|bare| bare.split('=').next().unwrap_or(bare));
        name.is_some_and(|name| NAMES.contains(&name))
    })
}
