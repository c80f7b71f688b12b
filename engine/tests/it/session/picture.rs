//! Model and engine in the same words, to be compared.

use super::model::Model;
use stowplan_engine::session::{Dvm, Effects, Image, Kind, Origin, State, WantedImage};

/// What an event did, sorted.
pub(super) fn facts(state: &State, effects: &Effects) -> Vec<String> {
    let mut facts = Vec::new();
    facts.extend(effects.request.map(|number| format!("request {number}")));
    facts.extend(effects.answered.map(|number| format!("answered {number}")));
    facts.extend(
        effects
            .reply
            .iter()
            .map(|reply| format!("reply {} {:?}", reply.alloc_id, reply.req_id)),
    );
    facts.extend(
        effects
            .names(state, &effects.joined)
            .iter()
            .map(|name| format!("joined {name}")),
    );
    facts.extend(
        effects
            .names(state, &effects.reserved)
            .iter()
            .map(|name| format!("reserved {name}")),
    );
    if let Some(spawned) = &effects.spawned {
        let (may, uses) = (
            effects.names(state, &spawned.candidates),
            effects.names(state, &spawned.uses),
        );
        let set = |names: Vec<&str>| format!("{:?}", std::collections::BTreeSet::from_iter(names));
        facts.push(format!(
            "spawned in {:?}, may use {}, uses {}",
            spawned.sessions,
            set(may),
            set(uses)
        ));
    }
    let ended = effects.ended.iter();
    facts.extend(ended.map(|row| {
        format!(
            "ended {} {} {}",
            row.alloc_id,
            row.how.name(),
            row.why.name()
        )
    }));
    facts.extend(
        effects
            .departed_names()
            .iter()
            .map(|name| format!("departed {name}")),
    );
    facts.extend(
        effects
            .names(state, &effects.reverted)
            .iter()
            .map(|name| format!("reverted {name}")),
    );
    facts.extend(effects.killed.iter().map(|name| format!("killed {name}")));
    facts.extend(
        effects
            .dropped
            .iter()
            .map(|number| format!("dropped {number}")),
    );
    facts.extend(effects.lent.iter().map(|name| format!("lent {name}")));
    facts.extend(effects.notify.iter().map(|notify| {
        let (ns, rank, id, left) = (
            &notify.ns,
            notify.rank,
            &notify.alloc_id,
            notify.time_remaining,
        );
        format!(
            "notify {ns}:{rank} of {id}, {left} left, {:?}",
            notify.req_id
        )
    }));
    facts.sort();
    facts
}

fn line(words: &[(&str, String)]) -> String {
    words
        .iter()
        .map(|(key, word)| format!("{key}={word} "))
        .collect()
}

/// The engine's state.
pub(super) fn of_state(state: &State) -> Vec<String> {
    let image = state.image();
    let space = |at: u32| image.namespaces[at as usize].name.to_string();
    let spaces =
        |list: &[u32]| format!("{:?}", list.iter().map(|&at| space(at)).collect::<Vec<_>>());
    let process = |(at, rank): (u32, u32)| format!("{}:{rank}", space(at));
    let alloc = |at: u32| image.allocations[at as usize].id.to_string();
    let mut lines = vec![format!(
        "{:?} {} {} {:?}",
        image.dvm,
        image.next_request,
        image.next_session_id,
        image.scheduler.map(space)
    )];
    for row in &image.nodes {
        lines.push(line(&[
            ("node", row.name.to_string()),
            ("origin", format!("{:?}", row.origin)),
            ("up", row.up.to_string()),
            ("alloc", format!("{:?}", row.alloc.map(alloc))),
        ]));
    }
    for row in &image.allocations {
        lines.push(line(&[
            ("alloc", row.id.to_string()),
            ("session", row.session_id.to_string()),
            ("owner", row.owner.to_string()),
            ("live", row.owner_live.to_string()),
            ("shared", row.shared.to_string()),
            ("inheritance", row.inheritance.name().to_owned()),
            ("warn", format!("{:?}", row.warn_timeout)),
            ("requestor", format!("{:?}", row.requestor.map(process))),
            (
                "req",
                format!("{:?} {:?}", row.req_ns.map(space), row.req_id),
            ),
            ("lent", format!("{:?}", row.lent)),
            ("roots", spaces(&row.roots)),
        ]));
    }
    for row in &image.namespaces {
        let sessions: Vec<Option<String>> = row.sessions.iter().map(|at| at.map(alloc)).collect();
        lines.push(line(&[
            ("ns", row.name.to_string()),
            ("kind", format!("{:?}", row.kind)),
            ("parent", format!("{:?}", row.parent.map(space))),
            ("live", row.live.to_string()),
            ("sessions", format!("{sessions:?}")),
            ("uses", format!("{:?}", uses(&image, row.uses))),
        ]));
    }
    for row in &image.pending {
        lines.push(line(&[
            ("request", row.request.to_string()),
            ("from", process(row.from)),
            ("wanted", format!("{:?}", row.wanted)),
            (
                "record",
                format!(
                    "{:?}",
                    row.record
                        .as_ref()
                        .map(|record| (record.1, record.0.to_string()))
                ),
            ),
            ("req", format!("{:?}", row.req_id)),
            ("owner", row.owner.to_string()),
            ("target", format!("{:?} {}", row.target, row.target_gone)),
            ("shared", row.shared.to_string()),
            (
                "inheritance",
                format!("{:?}", row.inheritance.map(|row| row.name())),
            ),
            ("warn", format!("{:?}", row.warn_timeout)),
        ]));
    }
    lines.sort();
    lines
}

fn uses(image: &Image, set: Option<u32>) -> std::collections::BTreeSet<String> {
    let runs = set.map_or(&[][..], |set| &image.sets[set as usize]);
    let within = |id: u32| {
        runs.iter()
            .any(|&(first, more)| (first..=first + more).contains(&id))
    };
    image
        .nodes
        .iter()
        .filter(|row| within(row.id))
        .map(|row| row.name.to_string())
        .collect()
}

/// The model's state.
pub(super) fn of_model(model: &Model) -> Vec<String> {
    let space = |uid: u64| model.spaces[&uid].name.clone();
    let live = |uid: u64| Some(uid).filter(|&uid| model.is_live(uid));
    let alloc = |session: u32| model.allocs[&session].id.clone();
    let dvm = if model.down { Dvm::Down } else { Dvm::Up };
    let scheduler = model.scheduler().map(space);
    let mut lines = vec![format!(
        "{dvm:?} {} {} {scheduler:?}",
        model.next_request, model.next_session
    )];
    for (name, row) in &model.nodes {
        let origin: Origin = row.origin;
        lines.push(line(&[
            ("node", name.clone()),
            ("origin", format!("{origin:?}")),
            ("up", row.up.to_string()),
            ("alloc", format!("{:?}", row.alloc.map(alloc))),
        ]));
    }
    for (session, row) in &model.allocs {
        let mut roots: Vec<String> = model.roots(*session).into_iter().map(space).collect();
        roots.sort();
        let (to, rank) = row.requestor;
        lines.push(line(&[
            ("alloc", row.id.clone()),
            ("session", session.to_string()),
            ("owner", row.owner_name.clone()),
            ("live", model.is_live(row.owner).to_string()),
            ("shared", row.shared.to_string()),
            ("inheritance", row.inheritance.to_owned()),
            ("warn", format!("{:?}", row.warn)),
            (
                "requestor",
                format!("{:?}", live(to).map(|uid| format!("{}:{rank}", space(uid)))),
            ),
            (
                "req",
                format!("{:?} {:?}", live(row.asker).map(space), row.req_id),
            ),
            ("lent", format!("{:?}", Vec::from_iter(&row.lent))),
            ("roots", format!("{roots:?}")),
        ]));
    }
    for row in model.spaces.values() {
        let kind: Kind = row.kind;
        let sessions: Vec<Option<String>> = row
            .sessions
            .iter()
            .map(|session| session.map(alloc))
            .collect();
        lines.push(line(&[
            ("ns", row.name.clone()),
            ("kind", format!("{kind:?}")),
            ("parent", format!("{:?}", row.parent.map(space))),
            ("live", row.live.to_string()),
            ("sessions", format!("{sessions:?}")),
            ("uses", format!("{:?}", row.uses)),
        ]));
    }
    for (number, row) in &model.pending {
        let wanted = match row.directive {
            "PMIX_ALLOC_NEW" => WantedImage::New,
            "PMIX_ALLOC_EXTEND" => WantedImage::Extend,
            _ => WantedImage::Reaquire,
        };
        let gone = row
            .target
            .as_ref()
            .is_some_and(|target| !model.is_live(target.0));
        lines.push(line(&[
            ("request", number.to_string()),
            ("from", format!("{}:{}", space(row.from.0), row.from.1)),
            ("wanted", format!("{wanted:?}")),
            ("record", format!("{:?}", row.record)),
            ("req", format!("{:?}", row.req_id)),
            ("owner", row.owner.clone()),
            (
                "target",
                format!("{:?} {gone}", row.target.as_ref().map(|target| &target.1)),
            ),
            ("shared", row.shared.to_string()),
            ("inheritance", format!("{:?}", row.inheritance)),
            ("warn", format!("{:?}", row.warn)),
        ]));
    }
    lines.sort();
    lines
}
