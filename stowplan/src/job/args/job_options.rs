//! Takes the options of the job: the machine, the surroundings of a launcher's line, the answer.

use super::reader::Reader;
use super::{FORMATS, NodeOrder, Show};
use crate::job::error::bad_words;
use crate::job::note_classes::NOTE_CLASSES;
use crate::job::options::Meaning;
use crate::job::parameters::{Effect, find};
use stowplan_engine::error::SpecError;
use stowplan_engine::error::spec::Owner;
use stowplan_engine::spawn::attributes::Scope;
use stowplan_engine::spawn::keys;

impl Reader<'_> {
    /// Takes `--display`. Showing the map is an option of the job, on whichever app it is given.
    pub(super) fn display(&mut self, given: &str, value: &str) -> Result<(), SpecError> {
        for word in value.split(',') {
            let key = match word.to_ascii_lowercase().as_str() {
                "map" => Some(keys::JOB_DISPLAY_MAP),
                "map-devel" => Some(keys::JOB_DISPLAY_DEVEL_MAP),
                "allocation" | "bind" | "topo" => None,
                _ => {
                    return self.bad_value(
                        given,
                        word,
                        "word of: map map-devel allocation bind topo",
                    );
                }
            };
            if let Some(key) = key {
                let text = self.text(given, value);
                let app = Owner::App(self.app);
                self.intake.single(app, key, text, Scope::Global)?;
            }
        }
        Ok(())
    }

    fn threads(&mut self, given: &str, value: &str) -> Result<(), SpecError> {
        let threads = self.positive(given, value, "number of threads, at least 1")?;
        self.job.threads = Some(threads);
        Ok(())
    }

    /// Takes `--prtemca KEY VALUE`.
    fn parameter(&mut self, value: &str) {
        let Some((key, value)) = value.split_once('\0') else {
            return;
        };
        match find(key) {
            Some(Effect::Topology) => self.job.topos.push((None, value.to_owned())),
            Some(Effect::Topologies) if !value.contains(',') => {
                self.job.topos.push((None, value.to_owned()));
            }
            Some(Effect::CpuList) if value.contains('=') => {
                self.job.cpu_lists.push(value.to_owned());
            }
            Some(Effect::CpuList) => self.job.default_cpu_list = Some(value.to_owned()),
            Some(_) => self.job.parameters.push((key.to_owned(), value.to_owned())),
            None => {}
        }
    }

    pub(super) fn job_option(
        &mut self,
        meaning: Meaning,
        given: &str,
        value: &str,
    ) -> Result<(), SpecError> {
        let some = || Some(value.to_owned());
        match meaning {
            Meaning::Topo => self.job.topos.push(topology(value)),
            Meaning::Devices => self.job.devices.push(value.to_owned()),
            Meaning::Columns => return self.columns(given, value),
            Meaning::Mca => self.parameter(value),
            Meaning::Head => self.job.head = some(),
            Meaning::Session => self.job.session = some(),
            Meaning::As => self.job.as_ns = some(),
            Meaning::Target => self.job.targets.push(value.to_owned()),
            Meaning::Alloc => self.job.alloc = some(),
            Meaning::Granted => self.job.granted = some(),
            Meaning::Env => match value.split_once('=') {
                Some((name, value)) if !name.is_empty() => {
                    self.job.env.push((name.to_owned(), value.to_owned()));
                }
                Some(_) | None => return self.bad_value(given, value, "NAME=VALUE"),
            },
            Meaning::EnvFile => self.job.env_files.push(value.to_owned()),
            Meaning::EnvHere => self.job.env_here = true,
            Meaning::Site => self.job.site = some(),
            Meaning::Network => self.job.network = some(),
            Meaning::NetworkLevels => self.job.network_levels = some(),
            Meaning::NodeOrder if value == "network" => self.job.node_order = NodeOrder::Network,
            Meaning::NodeOrder => return self.bad_value(given, value, "word of: network"),
            Meaning::Script => self.job.script = some(),
            Meaning::LineNumber => return self.line_number(given, value),
            Meaning::RankOrder => self.job.rank_order = some(),
            Meaning::Taskmap => self.job.taskmap = some(),
            Meaning::LsfAffinity => self.job.lsf_affinity = some(),
            Meaning::FromEnv => self.job.from_env = some(),
            Meaning::Output => self.job.output = Some(output(given, value)?),
            Meaning::Save => self.job.save = some(),
            Meaning::QuietNotes => return self.quiet(given, value),
            Meaning::Strict => self.job.strict = true,
            Meaning::Dark => self.job.picture.dark = true,
            Meaning::Size => self.job.picture.size = some(),
            Meaning::Node => self.job.parts.node = some(),
            Meaning::Ranks => self.job.parts.ranks = some(),
            Meaning::App => self.job.parts.app = some(),
            Meaning::Format => self.format(given, value)?,
            Meaning::Threads => return self.threads(given, value),
            Meaning::Here => self.job.here = some(),
            Meaning::ShowAttributes => return self.show_attributes(given, value),
            Meaning::Np
            | Meaning::Host
            | Meaning::Hostfile
            | Meaning::DefaultHostfile
            | Meaning::MapBy
            | Meaning::RankBy
            | Meaning::BindTo
            | Meaning::Old(_)
            | Meaning::Gpus
            | Meaning::GpusPerRank
            | Meaning::Display
            | Meaning::Rtos
            | Meaning::Exported
            | Meaning::Omp
            | Meaning::Levels
            | Meaning::Ignored => {}
        }
        Ok(())
    }

    /// Takes `--line`.
    fn line_number(&mut self, given: &str, value: &str) -> Result<(), SpecError> {
        let number = self.positive(given, value, "number of a launch line, from 1")?;
        self.job.line_number = Some(number);
        Ok(())
    }

    fn show_attributes(&mut self, given: &str, value: &str) -> Result<(), SpecError> {
        self.job.show_attributes = match value {
            "" => Some(Show::After),
            "before" => Some(Show::Before),
            _ => return self.bad_value(given, value, "word of: before"),
        };
        Ok(())
    }

    /// Takes classes of notes that are left out.
    fn quiet(&mut self, given: &str, value: &str) -> Result<(), SpecError> {
        for word in value.split(',') {
            if !NOTE_CLASSES.contains(&word) {
                return self.bad_value(given, word, "class of notes, as note[CLASS] shows it");
            }
            self.job.quiet_notes.push(word.to_owned());
        }
        Ok(())
    }

    fn format(&mut self, given: &str, value: &str) -> Result<(), SpecError> {
        let mut formats = FORMATS.iter();
        match formats.find(|(word, _)| word.eq_ignore_ascii_case(value)) {
            Some(&(_, format)) => self.job.format = Some(format),
            None => {
                let words = "word of: text map tsv ndjson json html svg taskmap pmi raw";
                return self.bad_value(given, value, words);
            }
        }
        Ok(())
    }
}

/// Reads `NODES=T` if there is no space, `(` or `/` before the first `=`, otherwise a topology for all nodes.
fn topology(value: &str) -> (Option<String>, String) {
    match value.split_once('=') {
        Some((nodes, topology)) if !nodes.contains([' ', '(', '/']) => {
            (Some(nodes.to_owned()), topology.to_owned())
        }
        Some(_) | None => (None, value.to_owned()),
    }
}

/// The file of an answer. A word of flux run, `-o cpu-affinity=off`, would make a file of that name.
fn output(given: &str, value: &str) -> Result<String, SpecError> {
    let name = value.split_once('=').map_or("", |(name, _)| name);
    let sign = |sign: char| sign.is_ascii_alphanumeric() || "._-".contains(sign);
    if name.is_empty() || !name.chars().all(sign) {
        return Ok(value.to_owned());
    }
    Err(bad_words(
        "bad-value",
        format!(
            "{given} {value}: that is a word of flux run, and -o names the file of the answer here"
        ),
        vec![
            format!(
                "before the program of a line that begins with flux run: flux run -o {value} …"
            ),
            format!("a file of that name: -o ./{value}"),
        ],
    ))
}
