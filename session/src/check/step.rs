//! A transition: the state before, the event, its outcome, the state after. I-16 to I-20, and I-22.

use super::broken::{Broken, Held, hold};
use super::check;
use crate::effects::{Effects, How};
use crate::event::{Event, EventValue};
use crate::image::Image;
use crate::name::Name;
use crate::state::State;
use crate::status::Status;
use crate::tables::{AllocId, NodeSet};
use std::collections::{BTreeMap, BTreeSet};
use stowplan_engine::id::Id as _;

/// Judges one transition, and the state it led to by [`check`].
///
/// # Errors
/// The first invariant that is broken.
///
/// Cost: linear in both states.
pub fn check_step(
    before: &State,
    event: &Event<'_>,
    status: Status,
    effects: &Effects,
    after: &State,
) -> Result<(), Broken> {
    check(after)?;
    let (old, new) = (before.image(), after.image());
    if status.is_error() {
        return rejected(old, effects, &new);
    }
    if matches!(event, Event::Warn { .. }) {
        return hold(
            old == new,
            "I-18 a warning that changed something",
            &Name::default(),
        );
    }
    nodes(before, event, effects, after)?;
    if matches!(event, Event::DvmEnd) {
        return Ok(());
    }
    endings(&old, event, effects, &new)?;
    spawned(before, effects)?;
    killed(before, event, effects)
}

/// I-17: a rejected event changes nothing, or only takes its request away.
fn rejected(mut old: Image, effects: &Effects, new: &Image) -> Held {
    if let Some(number) = effects.answered {
        old.pending.retain(|row| row.0 != number);
    }
    let inert = Effects {
        answered: effects.answered,
        ..Effects::default()
    };
    hold(
        old == *new && *effects == inert,
        "I-17 a rejection that changed something",
        &Name::default(),
    )
}

/// I-16.
fn nodes(before: &State, event: &Event<'_>, effects: &Effects, after: &State) -> Held {
    let none = Name::default();
    let gone: NodeSet = effects.departed.iter().map(|row| row.0).collect();
    let mut expected = before.nodes.all().clone();
    expected.add_all(&effects.joined);
    expected.remove_all(&gone);
    let holds = expected == *after.nodes.all();
    hold(holds, "I-16 nodes that came or went unsaid", &none)?;
    let stayed = before.nodes.startup().and(after.nodes.all());
    let holds = stayed == *after.nodes.startup();
    hold(holds, "I-16 an origin that changed", &none)?;
    let teardown = matches!(event, Event::DvmEnd);
    let holds = teardown || stayed == *before.nodes.startup();
    hold(holds, "I-16 a startup node that departed", &none)
}

/// I-19: records vanish only through `ended`, and their nodes go where the ending says.
fn endings(old: &Image, event: &Event<'_>, effects: &Effects, new: &Image) -> Held {
    let given = given_back(event, effects);
    let live: BTreeSet<u32> = new.allocs.iter().map(|row| row.session).collect();
    let mut ended: BTreeMap<&Name, How> = effects
        .ended
        .iter()
        .map(|row| (&row.alloc_id, row.how))
        .collect();
    let known: BTreeSet<&Name> = old.allocs.iter().map(|row| &row.id).collect();
    let there: BTreeMap<u32, Option<AllocId>> =
        new.nodes.iter().map(|row| (row.id, row.alloc)).collect();
    for (at, record) in old.allocs.iter().enumerate() {
        if live.contains(&record.session) {
            continue;
        }
        let how = ended.remove(&record.id);
        let holds = how.is_some();
        hold(holds, "I-19 a record that vanished unsaid", &record.id)?;
        let held = |alloc: Option<AllocId>| alloc.is_some_and(|place| place.row() == at);
        for node in old.nodes.iter().filter(|node| held(node.alloc)) {
            let startup = node.origin == crate::tables::NodeOrigin::Startup;
            let stays = startup || (how == Some(How::Unreserved) && !given.contains(&node.name));
            let now = there.get(&node.id);
            let right = if stays {
                now == Some(&None)
            } else {
                now.is_none()
            };
            hold(
                right,
                "I-19 a node of an ended record that went the wrong way",
                &node.name,
            )?;
        }
    }
    // Ids that are left must be of a record that this very step made.
    for id in ended.keys() {
        let fresh = effects
            .reply
            .as_ref()
            .is_some_and(|reply| reply.alloc_id == **id);
        let holds = fresh && !known.contains(*id);
        hold(holds, "I-19 an ending of no record", id)?;
    }
    Ok(())
}

/// The nodes that a release lends or names. They leave their record before something else ends it, for example
/// because their departure kills the job that owns it.
fn given_back(event: &Event<'_>, effects: &Effects) -> BTreeSet<Name> {
    let mut given: BTreeSet<Name> = effects.lent.iter().cloned().collect();
    if let Event::Alloc {
        directive, attrs, ..
    } = event
        && directive.text() == Some("PMIX_ALLOC_RELEASE")
    {
        let list = attrs.iter().rfind(|row| row.0 == "PMIX_ALLOC_NODE_LIST");
        if let Some((_, EventValue::Texts(list))) = list {
            given.extend(list.iter().map(|name| Name::new(name)));
        }
    }
    given
}

/// I-20: the candidates, worked out node by node.
fn spawned(before: &State, effects: &Effects) -> Held {
    let Some(spawned) = &effects.spawned else {
        return Ok(());
    };
    let none = Name::default();
    let sees = |&node: &_| {
        let holder = before
            .nodes
            .alloc(node)
            .filter(|&alloc| !before.allocs.row[alloc].shared);
        let session = holder
            .map(|alloc| &before.allocs.row[alloc].id)
            .unwrap_or(&none);
        spawned.sessions.contains(session) && before.nodes.up().contains(node)
    };
    let expected: NodeSet = before.nodes.all().iter().filter(sees).collect();
    hold(
        *spawned.candidates == expected,
        "I-20 candidates that are not the union of the sessions",
        &none,
    )?;
    let part = !spawned.uses.is_empty() && spawned.uses.is_subset(&expected);
    hold(part, "I-20 a job on nodes that are no candidates", &none)
}

/// I-22: only jobs that lose a node are killed, and all of them are.
fn killed(before: &State, event: &Event<'_>, effects: &Effects) -> Held {
    let mut gone: NodeSet = effects.departed.iter().map(|row| row.0).collect();
    if let Event::NodeDown { node } = event
        && let Some(node) = before.nodes.find(node)
    {
        gone.insert(node);
    }
    let hit: BTreeSet<&Name> = before
        .spaces
        .rows()
        .filter(|&ns| before.uses(ns).is_some_and(|uses| !uses.is_disjoint(&gone)))
        .map(|ns| &before.spaces.row[ns].name)
        .collect();
    let killed: BTreeSet<&Name> = effects.killed.iter().collect();
    hold(
        killed.is_subset(&hit),
        "I-22 a job killed that lost no node",
        &Name::default(),
    )?;
    let ended = if let Event::JobEnd { ns } = event {
        Some(Name::new(ns))
    } else {
        None
    };
    let spared = hit
        .iter()
        .find(|name| !killed.contains(*name) && ended.as_ref() != Some(**name));
    hold(
        spared.is_none(),
        "I-22 a job that lost a node and runs on",
        spared.map_or(&Name::default(), |name| name),
    )
}
