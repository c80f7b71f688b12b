//! The site: the lines of slurm.conf and gres.conf that count.

use super::cpu_bind::Level;
use super::machines::MachineSite;
use super::numbers;
use super::options::Flag;
use super::refusals;
use super::shape::Gpu;
use crate::launchers::line::{LineAsked, LineRefused};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::names::NameRange;
use stowplan_engine::text::hostlist::read_host_names;

/// What the scheduler counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Selects {
    Linear,
    Cores,
    Sockets,
    Cpus,
}

/// Settings of some nodes; `names` is `None` for all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct OfNodes {
    pub(super) names: Option<Vec<NameRange>>,
    pub(super) settings: Vec<(String, String)>,
}

/// The settings that count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Site {
    pub(super) selects: Selects,
    /// Small words of `SelectTypeParameters`.
    pub(super) parameters: Vec<String>,
    pub(super) autobind: Option<Level>,
    /// Whether `task/affinity` is there.
    pub(super) affinity: Affinity,
    pub(super) socket: ObjKind,
    pub(super) exclusive: Flag,
    pub(super) nodes: Vec<OfNodes>,
    /// What the guide of a named machine says.
    pub(super) machine: Option<&'static MachineSite>,
    /// Lines of GPUs.
    pub(super) gpus: Vec<OfNodes>,
}

/// Whether `task/affinity` binds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Affinity {
    Binds,
    Absent,
}

impl Site {
    /// Whether a word stands in `SelectTypeParameters`.
    pub(super) fn has(&self, word: &str) -> bool {
        self.parameters.iter().any(|own| own == word)
    }

    /// Reads `--site`; without it, what a named machine's guide says.
    pub(super) fn read(asked: &LineAsked<'_>) -> Result<Self, LineRefused> {
        let mut own = Self {
            selects: Selects::Cores,
            parameters: Vec::new(),
            autobind: None,
            affinity: Affinity::Binds,
            socket: ObjKind::Package,
            exclusive: Flag::Unsaid,
            nodes: Vec::new(),
            gpus: Vec::new(),
            machine: asked.machine.and_then(MachineSite::of),
        };
        if let Some(machine) = own.machine {
            own.socket = machine.socket;
            own.parameters = machine
                .parameters
                .iter()
                .map(|&own| own.to_owned())
                .collect();
        }
        let Some(text) = asked.site else {
            return Ok(own);
        };
        let lines: Vec<String> = match text.contains('=') {
            true => short(text),
            false => {
                let bytes = asked.files.read(text).map_err(|why| {
                    refusals::site(format!("--site {text}: cannot be read: {why}"))
                })?;
                let text = String::from_utf8_lossy(&bytes).replace("\\\n", " ");
                text.lines()
                    .map(|line| line.split('#').next().unwrap_or("").trim().to_owned())
                    .collect()
            }
        };
        let mut linear = false;
        for line in &lines {
            let pairs: Vec<(String, String)> = line
                .split_whitespace()
                .filter_map(|pair| pair.split_once('='))
                .map(|(key, value)| (key.to_ascii_lowercase(), value.to_owned()))
                .collect();
            own.line(&pairs, &mut linear)?;
        }
        if linear {
            own.selects = Selects::Linear;
        }
        Ok(own)
    }

    fn line(&mut self, pairs: &[(String, String)], linear: &mut bool) -> Result<(), LineRefused> {
        let Some((first, value)) = pairs.first() else {
            return Ok(());
        };
        let small = value.to_ascii_lowercase();
        let is_gpu = pairs
            .iter()
            .any(|(key, value)| key == "name" && value == "gpu");
        match first.as_str() {
            _ if is_gpu => self.gpus.push(of_nodes(pairs)?),
            "selecttype" => *linear = small.contains("linear"),
            "selecttypeparameters" => {
                self.parameters = small.split(',').map(str::to_owned).collect();
                // CR_CORE_DEFAULT_DIST_BLOCK counts nothing.
                let counts = |word: &str| {
                    let memory = format!("{word}_memory");
                    self.parameters
                        .iter()
                        .any(|own| own == word || *own == memory)
                };
                self.selects = match (counts("cr_core"), counts("cr_socket"), counts("cr_cpu")) {
                    (false, true, _) => Selects::Sockets,
                    (false, false, true) => Selects::Cpus,
                    (true, ..) | (false, false, false) => Selects::Cores,
                };
            }
            "taskpluginparam" => {
                for word in small.split(',') {
                    self.autobind = match word.strip_prefix("autobind=") {
                        Some("threads") => Some(Level::Threads),
                        Some("cores") => Some(Level::Cores),
                        Some("sockets") => Some(Level::Sockets),
                        Some(_) => None,
                        None => self.autobind,
                    };
                }
            }
            "taskplugin" if !small.contains("affinity") => self.affinity = Affinity::Absent,
            "slurmdparameters" => {
                self.socket = match small.as_str() {
                    own if own.contains("l3cache_as_socket") => ObjKind::L3,
                    own if own.contains("numa_node_as_socket") => ObjKind::Numa,
                    _ => ObjKind::Package,
                };
            }
            "partitionname" => {
                let alone = pairs.iter().any(|(key, value)| {
                    key == "oversubscribe" && value.eq_ignore_ascii_case("exclusive")
                });
                self.exclusive = if alone { Flag::Said } else { self.exclusive };
            }
            "nodename" | "cpus" | "sockets" | "socketsperboard" | "boards" | "corespersocket"
            | "threadspercore" | "cpuspeclist" | "corespeccount" => {
                self.nodes.push(of_nodes(pairs)?)
            }
            _ => {}
        }
        Ok(())
    }
}

/// `K=V,…`: a piece without `=` belongs to the value before it, as does what follows `autobind=`.
fn short(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for piece in text.split(',') {
        match lines.last_mut() {
            Some(last)
                if !piece.contains('=') || piece.to_ascii_lowercase().starts_with("autobind=") =>
            {
                last.push(',');
                last.push_str(piece);
            }
            _ => lines.push(piece.to_owned()),
        }
    }
    lines
}

fn of_nodes(pairs: &[(String, String)]) -> Result<OfNodes, LineRefused> {
    let name = pairs.iter().find(|(key, _)| key == "nodename");
    let names = match name {
        None => None,
        Some((_, value)) if value.eq_ignore_ascii_case("default") => None,
        Some((_, value)) => Some(names(value).ok_or_else(|| {
            refusals::site(format!("--site: NodeName={value}: no list of hosts"))
        })?),
    };
    for (key, value) in pairs {
        let counts = [
            "cpus",
            "sockets",
            "corespersocket",
            "threadspercore",
            "corespeccount",
            "boards",
            "socketsperboard",
        ];
        if counts.contains(&key.as_str()) && numbers::number(value).is_none() {
            return Err(refusals::site(format!(
                "--site: {key}={value}: a number is asked for"
            )));
        }
        if (key == "cpuspeclist" || key == "cores") && numbers::ranges(value).is_none() {
            return Err(refusals::site(format!(
                "--site: {key}={value}: a list of numbers is asked for"
            )));
        }
    }
    Ok(OfNodes {
        names,
        settings: pairs.to_vec(),
    })
}

/// Names of a host list.
pub(super) fn names(text: &str) -> Option<Vec<NameRange>> {
    read_host_names(text).ok()
}

/// The last value of a setting.
pub(super) fn setting<'a>(lines: &[&'a OfNodes], key: &str) -> Option<&'a str> {
    let all = lines.iter().rev().flat_map(|own| own.settings.iter().rev());
    all.into_iter()
        .find(|(own, _)| own == key)
        .map(|(_, value)| value.as_str())
}

/// The GPUs that lines of gres.conf say, in their order.
pub(super) fn gpus_of(lines: &[&OfNodes]) -> Vec<Gpu> {
    (0..)
        .zip(lines)
        .map(|(number, line)| {
            let near = setting(&[line], "cores")
                .and_then(numbers::ranges)
                .unwrap_or_default();
            Gpu {
                number,
                // Without a type no typed word finds it.
                kind: Some(setting(&[line], "type").unwrap_or_default().to_owned()),
                near: near
                    .into_iter()
                    .flat_map(|(first, last)| first as usize..=last as usize)
                    .collect(),
            }
        })
        .collect()
}
