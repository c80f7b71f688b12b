//! `--alloc 'WORDS'`: the instance that `flux alloc WORDS` makes. Source: `lines/flux/spec.md` 10.

use super::instance::{Instance, NodeKind};
use super::site::Policy;
use super::{asks, requires, schedule, words};
use crate::launchers::line::{LineAsked, LineRefused, quoted_words};

/// The instance inside an allocation, whose nodes are those of R or of our own hosts.
///
/// # Errors
/// As for the line of a job, with `flux alloc` in its name.
pub(super) fn instance(
    asked: &LineAsked<'_>,
    alloc: &str,
    policy: Policy,
) -> Result<Instance, LineRefused> {
    let own = quoted_words(alloc)?;
    let outer = LineAsked {
        command: "flux alloc",
        words: &own,
        ..*asked
    };
    // The place of a fault is in the words of the allocation, not in those of the line.
    let elsewhere = |mut refused: LineRefused| {
        refused.at = None;
        refused
    };
    let line = words::read_options(&outer).map_err(elsewhere)?;
    let ask = asks::read(&outer, &line).map_err(elsewhere)?;
    let all = Instance::of(&outer, ask.nodes)?;
    let left = requires::left(&outer, &line, &all).map_err(elsewhere)?;
    let given = schedule::schedule(&outer, &ask, policy, &all, &left)?;
    let mut inside = Instance {
        notes: all.notes.clone(),
        ..Instance::default()
    };
    for own in given {
        let kind = NodeKind {
            topology: own.got.topology,
            cores: own.got.cores,
            gpus: own.got.gpus,
        };
        inside.add(&all, own.nodes, kind)?;
    }
    Ok(inside)
}
