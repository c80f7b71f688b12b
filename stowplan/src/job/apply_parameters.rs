//! What parameters of the launcher change in a job before it is placed: defaults, nodes of the simulator, files.

use crate::job::args::{JobArgs, MapArgs};
use crate::job::error::JobError;
use crate::job::line::variables::variables;
use crate::job::one_more_file::OneMoreFile;
use crate::job::outside::Outside;
use crate::job::parameters::simulator::{Group, groups};
use crate::job::parameters::{Effect, defaults, find, is_on, of_variables};
use stowplan_engine::policy::CpuMode;
use stowplan_engine::spawn::attributes::Scope;
use stowplan_engine::spawn::defaults::Defaults;
use stowplan_engine::spawn::request::{AppRow, owner};
use stowplan_engine::spawn::{Intake, keys};

/// The name under which the nodes of the simulator are read as a hostfile.
const SIMULATED: &str = "ras_simulator_num_nodes";

/// A job with all that parameters change.
pub(crate) struct Applied {
    /// The job.
    pub(crate) asked: MapArgs,
    /// Policies that it does not say itself.
    pub(crate) defaults: Defaults,
    /// The nodes of the simulator as lines of a hostfile.
    nodes: Option<String>,
}

/// Applies parameters: first those of variables, then those of words.
///
/// # Errors
/// Wrong values; `not-modelled`.
pub(crate) fn apply_parameters(
    mut asked: MapArgs,
    outside: &dyn Outside,
) -> Result<Applied, JobError> {
    let mut parameters = of_variables(&variables(&asked.job, outside)?);
    outer(&mut asked.job, &parameters);
    parameters.extend(asked.job.parameters.iter().cloned());
    let defaults = defaults::read(&parameters, &mut asked.taken.notes)?;
    let mut threads = parameters.iter().rev();
    if let Some((_, value)) = threads.find(|(key, _)| find(key) == Some(Effect::Threads))
        && is_on(value)
    {
        asked.job.slots_by = CpuMode::Hwthread;
    }
    let mut files = parameters.iter().rev();
    let file = files.find(|(key, value)| find(key) == Some(Effect::Hostfile) && !value.is_empty());
    let default = asked.job.default_hostfile.clone();
    let default = default.or_else(|| file.map(|(_, path)| path.clone()));
    let groups = groups(&parameters)?;
    let nodes = simulated(&groups, &mut asked.job);
    let hostfile = nodes.is_some().then(|| SIMULATED.to_owned()).or(default);
    if let Some(path) = hostfile {
        asked = with_hostfile(asked, &path)?;
    }
    Ok(Applied {
        asked,
        defaults,
        nodes,
    })
}

/// The machine as variables describe it, where no word does.
fn outer(job: &mut JobArgs, parameters: &[(String, String)]) {
    for (key, value) in parameters
        .iter()
        .rev()
        .filter(|(_, value)| !value.is_empty())
    {
        let all_known = job.topos.iter().any(|(nodes, _)| nodes.is_none());
        if find(key) == Some(Effect::Topology) && !all_known {
            job.topos.push((None, value.clone()));
        } else if find(key) == Some(Effect::CpuList) && job.default_cpu_list.is_none() {
            job.default_cpu_list = Some(value.clone());
        }
    }
}

/// The nodes of the simulator as lines of a hostfile, and the topologies of its groups.
fn simulated(groups: &[Group], job: &mut JobArgs) -> Option<String> {
    if groups.is_empty() {
        return None;
    }
    let mut lines = String::new();
    for group in groups {
        group.write(&mut lines);
        if let Some(file) = &group.topology {
            job.topos.push((Some(group.hosts()), file.clone()));
        }
    }
    Some(lines)
}

/// Gives a hostfile to the apps, if none has one.
fn with_hostfile(mut asked: MapArgs, path: &str) -> Result<MapArgs, JobError> {
    let request = asked.taken.request;
    let has = |key| {
        let mut apps = request.apps().ids();
        apps.any(|app| request.attributes().string(owner(app), key).is_some())
    };
    if has(keys::APP_HOSTFILE) {
        asked.taken.request = request;
        return Ok(asked);
    }
    let apps: Vec<_> = request
        .apps()
        .iter()
        .map(|(app, row)| (app, *row))
        .collect();
    let mut intake = Intake::again(request);
    for (app, row) in apps {
        if matches!(row, AppRow::App { .. }) {
            intake.hostfile(app, path, Scope::Global);
        }
    }
    asked.taken.request = intake.finish()?.request;
    Ok(asked)
}

impl Applied {
    /// What is outside, with the nodes of the simulator as one more file.
    pub(crate) fn outside<'o>(&mut self, outside: &'o dyn Outside) -> OneMoreFile<'o> {
        OneMoreFile {
            outside,
            name: SIMULATED,
            text: self.nodes.take(),
        }
    }
}
