//! What the engine gets of a job, and how much work that is.

use crate::job::args::Refusals;
use crate::job::line::launched::Launched;
use crate::job::place::{place_line_on, resolve_on};
use crate::workers::{self, Size};
use crate::{Error, Job, Machine};
use stowplan_engine::map::{self, Mapped};
use stowplan_engine::stage::resolve::{Resolved, Threading};

/// The engine's input for a job on a machine that is what it is, whose ranks are in the order in which they are placed.
///
/// # Errors
/// `bad-option` if the job says something of its nodes, or orders nodes or ranks.
pub(crate) fn resolve(job: &Job, machine: &Machine) -> Result<(Resolved, map::Machine), Error> {
    job.asked()
        .job
        .refuse_beyond("a cluster, a planner or components")?;
    resolve_alone(job, machine)
}

/// The engine's input for a job by itself.
pub(crate) fn resolve_alone(
    job: &Job,
    machine: &Machine,
) -> Result<(Resolved, map::Machine), Error> {
    let (mut resolved, machine) = resolve_on(machine.inner(), job.asked(), job.files())?;
    resolved.threading = Threading::Within;
    Ok((resolved, machine))
}

/// Places the line of a launcher that is not of prterun's family on a machine that is as the line's words say; also says how the line
/// was read.
///
/// # Errors
/// The launcher's refusals.
pub(crate) fn place_line(
    job: &Job,
    machine: &Machine,
    refusals: Refusals,
) -> Result<(Mapped, Launched), Error> {
    let mut asked = job.asked();
    asked.job.topos = machine.named().to_vec();
    asked.job.refusals = refusals;
    Ok(workers::run(|| {
        place_line_on(machine.inner(), &asked, job.files())
    })??)
}

/// Bytes of host lists and hostfiles from which a job may have many nodes that differ.
const HOSTS_FROM: usize = 1 << 10;
/// Apps from which groups of them may be placed side by side.
const APPS_FROM: usize = 128;

/// How much work placing a job is, from its words.
pub(crate) fn size(job: &Job) -> Size {
    let request = job.request();
    let apps = request.apps();
    let hosts = job.apps().filter_map(|app| app.hosts()).map(str::len);
    let files = job.given_files().map(|(_, text)| text.len());
    if apps.len() >= APPS_FROM || hosts.chain(files).sum::<usize>() >= HOSTS_FROM {
        Size::Large
    } else {
        Size::Small
    }
}
