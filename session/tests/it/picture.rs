//! Describes model and engine in the same words, so that they can be compared.

use super::model::{Alloc, Model, Node, Request, Space, Uid};
use std::collections::BTreeSet;
use stowplan_session::{
    AllocRow, Dump, Dvm, Effects, Inheritance, Name, NodeOrigin, NodeRow, NodeSet, NodeState,
    NsRow, PendingRow, State, Wanted,
};

/// What an event did, sorted.
pub(super) fn facts(state: &State, effects: &Effects) -> Vec<String> {
    let mut facts = Vec::new();
    facts.extend(effects.request.map(|number| format!("request {number}")));
    facts.extend(effects.answered.map(|number| format!("answered {number}")));
    let reply = effects.reply.iter();
    facts.extend(reply.map(|reply| format!("reply {} {:?}", reply.alloc_id, reply.req_id)));
    if let Some(spawned) = &effects.spawned {
        let set =
            |nodes: &NodeSet| format!("{:?}", BTreeSet::from_iter(effects.names(state, nodes)));
        let (may, uses) = (set(&spawned.candidates), set(&spawned.uses));
        let sessions = &spawned.sessions;
        facts.push(format!(
            "spawned in {sessions:?}, may use {may}, uses {uses}"
        ));
    }
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
    let ended = effects.ended.iter();
    facts.extend(ended.map(|row| {
        format!(
            "ended {} {} {}",
            row.alloc_id,
            row.how.name(),
            row.why.name()
        )
    }));
    let mut each = |what: &str, names: Vec<String>| {
        facts.extend(names.iter().map(|name| format!("{what} {name}")));
    };
    let own = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
    each("joined", own(effects.names(state, &effects.joined)));
    each("reserved", own(effects.names(state, &effects.reserved)));
    each("departed", own(effects.departed_names()));
    each("reverted", own(effects.names(state, &effects.reverted)));
    each(
        "killed",
        effects.killed.iter().map(ToString::to_string).collect(),
    );
    each(
        "dropped",
        effects.dropped.iter().map(ToString::to_string).collect(),
    );
    each(
        "lent",
        effects.lent.iter().map(ToString::to_string).collect(),
    );
    facts.sort();
    facts
}

fn names<'n>(names: impl IntoIterator<Item = &'n String>) -> Vec<Name> {
    let sorted: BTreeSet<&String> = names.into_iter().collect();
    sorted.into_iter().map(|name| Name::new(name)).collect()
}

fn maybe(name: Option<&String>) -> Option<Name> {
    name.map(|name| Name::new(name))
}

fn space(model: &Model, uid: Uid) -> &String {
    &model.spaces[&uid].name
}

fn model_node(model: &Model, name: &str, row: &Node) -> NodeRow {
    let record = row.alloc.map(|session| &model.allocs[&session]);
    let reserved = record.filter(|record| !record.shared);
    NodeRow {
        alloc: maybe(record.map(|record| &record.id)),
        name: Name::new(name),
        origin: row.origin,
        session: maybe(reserved.map(|record| &record.id)).unwrap_or_default(),
        state: if row.up {
            NodeState::Up
        } else {
            NodeState::Down
        },
    }
}

fn model_alloc(model: &Model, session: u32, row: &Alloc) -> AllocRow {
    let live = |uid: Uid| Some(uid).filter(|&uid| model.is_live(uid));
    let nodes = model.nodes.iter();
    let nodes = nodes.filter(|(_, node)| node.alloc == Some(session));
    let carved = nodes
        .clone()
        .filter(|(_, node)| node.origin == NodeOrigin::Startup);
    let roots = model.roots(session);
    let sits = |row: &&Space| row.live && row.sessions.contains(&Some(session));
    let seated = model.spaces.values().filter(sits).map(|row| &row.name);
    let (to, rank) = row.requestor;
    AllocRow {
        carved: names(carved.map(|row| row.0)),
        id: Name::new(&row.id),
        inheritance: Inheritance::named(row.inheritance).unwrap(),
        lent: names(&row.lent),
        nodes: names(nodes.map(|row| row.0)),
        owner: Name::new(&row.owner_name),
        owner_live: model.is_live(row.owner),
        owners: names(seated.chain(live(row.owner).map(|uid| space(model, uid)))),
        req_id: maybe(row.req_id.as_ref()),
        req_ns: maybe(live(row.asker).map(|uid| space(model, uid))),
        requestor: live(to).map(|uid| format!("{}:{rank}", space(model, uid))),
        roots: names(roots.into_iter().map(|uid| space(model, uid))),
        session_id: session,
        shared: row.shared,
        warn_timeout: row.warn,
    }
}

fn model_space(model: &Model, row: &Space) -> NsRow {
    let session = |session: &Option<u32>| {
        session.map_or_else(Name::default, |at| Name::new(&model.allocs[&at].id))
    };
    NsRow {
        kind: row.kind,
        live: row.live,
        name: Name::new(&row.name),
        parent: maybe(row.parent.map(|uid| space(model, uid))),
        sessions: row.sessions.iter().map(session).collect(),
        uses: Some(names(&row.uses)),
        uses_also: Vec::new(),
        uses_as: None,
        uses_without: Vec::new(),
    }
}

fn model_pending(model: &Model, number: u64, row: &Request) -> PendingRow {
    let target = row.target.as_ref();
    let record = row.record.as_ref();
    PendingRow {
        alloc_id: maybe(record.map(|record| &record.1)),
        directive: match row.directive {
            "PMIX_ALLOC_NEW" => Wanted::New,
            "PMIX_ALLOC_EXTEND" => Wanted::Extend,
            _ => Wanted::Reaquire,
        },
        from: format!("{}:{}", space(model, row.from.0), row.from.1),
        inheritance: row
            .inheritance
            .map(|name| Inheritance::named(name).unwrap()),
        owner: Name::new(&row.owner),
        req_id: maybe(row.req_id.as_ref()),
        request: number,
        session_id: record.map(|record| record.0),
        shared: row.shared,
        target: maybe(target.map(|target| &target.1)),
        target_gone: target.is_some_and(|target| !model.is_live(target.0)),
        warn_timeout: row.warn,
    }
}

/// The model's state as the rows of a dump.
pub(super) fn of_model(model: &Model) -> Dump {
    let nodes = model.nodes.iter();
    let records = model.allocs.iter();
    let mut allocations: Vec<AllocRow> = records
        .map(|(&session, row)| model_alloc(model, session, row))
        .collect();
    allocations.sort_by(|one, two| one.id.cmp(&two.id));
    let spaces = model.spaces.values();
    let mut namespaces: Vec<NsRow> = spaces.map(|row| model_space(model, row)).collect();
    namespaces.sort_by(|one, two| one.name.cmp(&two.name));
    let pending = model.pending.iter();
    Dump {
        allocations,
        dvm: if model.down { Dvm::Down } else { Dvm::Up },
        namespaces,
        next_request: model.next_request,
        next_session_id: model.next_session,
        nodes: nodes
            .map(|(name, row)| model_node(model, name, row))
            .collect(),
        pending: pending
            .map(|(&number, row)| model_pending(model, number, row))
            .collect(),
        scheduler: maybe(model.scheduler().map(|uid| space(model, uid))),
    }
}
