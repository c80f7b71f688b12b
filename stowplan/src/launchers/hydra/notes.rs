//! What an expert would say of a line of Hydra. Source: `lines/hydra/spec.md` 11.

use super::binding::Bound;
use super::node_list::HydraNodes;
use super::patterns::NodeKind;
use crate::launchers::line::LineNote;

/// Hosts that stand twice, ranks that are unbound, ranks that share cpus.
pub(super) fn notes(
    nodes: &[HydraNodes],
    twice: Option<String>,
    kinds: &[NodeKind],
    binding: Option<&str>,
) -> Vec<LineNote> {
    let mut found = Vec::new();
    found.extend(twice.as_deref().map(host_twice));
    let by_default = binding.is_none() && nodes.iter().all(|node| node.binding.is_none());
    if by_default {
        found.push(LineNote {
            class: "unbound-ranks",
            text: "no rank is bound, as MPICH binds none by default: -bind-to core binds each to a core"
                .to_owned(),
        });
    }
    found.extend(kinds.iter().find_map(beyond_the_list));
    found.extend(kinds.iter().find_map(in_turn));
    found
}

fn host_twice(name: &str) -> LineNote {
    LineNote {
        class: "host-twice",
        text: format!(
            "{name} is listed twice, apart: MPICH starts two sets of ranks there, each with local ranks and bindings from 0, and may misjudge which ranks share a node"
        ),
    }
}

/// Ranks beyond a list of cpus.
fn beyond_the_list(kind: &NodeKind) -> Option<LineNote> {
    let Bound::List(sets) = &kind.bound else {
        return None;
    };
    let listed = u32::try_from(sets.len()).unwrap_or(u32::MAX);
    (kind.ranks > listed).then(|| LineNote {
        class: "unbound-ranks",
        text: format!(
            "a node has {} ranks and the list binds {listed}: ranks beyond it are unbound",
            kind.ranks
        ),
    })
}

/// Ranks that take sets of cpus in turn.
fn in_turn(kind: &NodeKind) -> Option<LineNote> {
    let Bound::Round(sets) = &kind.bound else {
        return None;
    };
    let sets = u32::try_from(sets.len()).unwrap_or(u32::MAX);
    (kind.ranks > sets).then(|| LineNote {
        class: "shared-cpus",
        text: format!(
            "a node has {} ranks and its binding {sets} sets of cpus: ranks take them in turn and share them",
            kind.ranks
        ),
    })
}
