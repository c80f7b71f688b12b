//! `--onto` of subcommands: a saved plan is carried onto the hosts that were granted.

use super::here;
use super::saved::Saved;
use super::subcommand::{Many, Maybe, own};
use crate::Console;
use crate::report::{self, Refused, told};
use crate::surroundings::Surroundings;
use stowplan::answers::onto::{Misfit, onto};
use stowplan::job::granted::granted;
use stowplan::job::options::Row;
use stowplan_engine::plan::bytes::Remark;
use stowplan_engine::table::names::Names;

/// `--onto` of subcommands that read a plan. The options of hosts behind it are read with it.
#[rustfmt::skip]
pub(super) const ONTO: Row = own(&["onto"], Maybe, "HOSTS", Many, "carry the plan onto these hosts first; or --onto with -H LIST, --hostfile F, --here, --topo T after it");

/// Prints notes in words.
pub(super) fn print(notes: &[Remark], console: &mut Console<'_>) {
    for Remark { class, text, .. } in notes {
        report::note(console.err, class, text);
    }
}

/// Prints what is to be said of the hosts that a plan was carried onto.
pub(super) fn print_carried(notes: &[Remark], console: &mut Console<'_>) {
    let carried = ["topology-differs", "topology-assumed", "nodes-idle"];
    let told = notes.iter().filter(|note| carried.contains(&&*note.class));
    print(&told.cloned().collect::<Vec<_>>(), console);
}

/// Carries a saved plan onto the hosts that words name. Notes on nodes that it no longer has are dropped.
///
/// # Errors
/// `does-not-fit`; errors of the words, of hosts and of topologies.
pub(super) fn carry(
    saved: Saved,
    hosts: &[String],
    console: &mut Console<'_>,
) -> Result<Saved, Refused> {
    let asked = here::words(hosts, console)?;
    let outside = Surroundings {
        files: console.files,
    };
    let from = asked.asked.job.cores_from.as_ref();
    let mut granted = granted(&asked.words, from, &saved.plan, &outside)?;
    if asked.hosts.is_some() {
        // A batch system counts tasks, which its launcher may be asked to exceed.
        granted.slots.iter_mut().for_each(|slots| *slots = None);
    }
    let refused = |misfit: Misfit| told(misfit.class(), misfit.to_string());
    let carried = onto(&saved.plan, &granted).map_err(refused)?;
    let before = &saved.plan.world().names;
    let mut notes = saved.notes;
    notes.retain(|note| !names_nodes(&note.text, before));
    notes.extend(carried.notes);
    let mut sources = saved.sources;
    sources.hosts = asked.hosts;
    Ok(Saved {
        plan: carried.plan,
        sources,
        notes,
    })
}

/// Carries a plan if `--onto` was said.
///
/// # Errors
/// As [`carry`].
pub(super) fn carry_if(
    saved: Saved,
    hosts: Option<&[String]>,
    console: &mut Console<'_>,
) -> Result<Saved, Refused> {
    match hosts {
        None => Ok(saved),
        Some(hosts) => carry(saved, hosts, console),
    }
}

/// Whether a text names nodes: one of these, or a range of names.
fn names_nodes(text: &str, names: &Names) -> bool {
    let part = |sign: char| !(sign.is_ascii_alphanumeric() || "._-".contains(sign));
    let mut words = text.split(part).filter(|word| !word.is_empty());
    // The article is a word of most notes.
    text.contains('[') || words.any(|word| word != "a" && names.find_name(word).is_some())
}
