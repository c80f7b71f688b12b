//! Describes model and engine in the same words, so that they can be compared.

use super::model::{Alloc, Model, Request};
use std::collections::BTreeSet;
use stowplan_session::{
    AllocImage, Dvm, Effects, Image, NodeSet, NsImage, PendingImage, State, WantedImage,
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

fn line(words: &[(&str, String)]) -> String {
    words
        .iter()
        .map(|(key, word)| format!("{key}={word} "))
        .collect()
}

/// Rows of an image by their position.
struct View(Image);

impl View {
    fn space(&self, at: u32) -> String {
        self.0.namespaces[at as usize].name.to_string()
    }
    fn process(&self, (at, rank): (u32, u32)) -> String {
        format!("{}:{rank}", self.space(at))
    }
    fn id(&self, at: u32) -> String {
        self.0.allocations[at as usize].id.to_string()
    }

    fn alloc(&self, row: &AllocImage) -> String {
        let roots: Vec<String> = row.roots.iter().map(|&at| self.space(at)).collect();
        let asker = row.req_ns.map(|at| self.space(at));
        line(&[
            ("alloc", row.id.to_string()),
            ("session", row.session_id.to_string()),
            ("owner", row.owner.to_string()),
            ("live", row.owner_live.to_string()),
            ("shared", row.shared.to_string()),
            ("inheritance", row.inheritance.name().to_owned()),
            ("warn", format!("{:?}", row.warn_timeout)),
            (
                "requestor",
                format!("{:?}", row.requestor.map(|to| self.process(to))),
            ),
            ("req", format!("{asker:?} {:?}", row.req_id)),
            ("lent", format!("{:?}", row.lent)),
            ("roots", format!("{roots:?}")),
        ])
    }

    fn namespace(&self, row: &NsImage) -> String {
        let sessions: Vec<Option<String>> = row
            .sessions
            .iter()
            .map(|at| at.map(|at| self.id(at)))
            .collect();
        let runs = self.0.uses(row);
        let within = |id: u32| {
            runs.iter()
                .any(|&(first, more)| (first..=first + more).contains(&id))
        };
        let uses = self.0.nodes.iter().filter(|row| within(row.id));
        let uses: BTreeSet<String> = uses.map(|row| row.name.to_string()).collect();
        line(&[
            ("ns", row.name.to_string()),
            ("kind", format!("{:?}", row.kind)),
            (
                "parent",
                format!("{:?}", row.parent.map(|at| self.space(at))),
            ),
            ("live", row.live.to_string()),
            ("sessions", format!("{sessions:?}")),
            ("uses", format!("{uses:?}")),
        ])
    }

    fn pending(&self, row: &PendingImage) -> String {
        let record = row
            .record
            .as_ref()
            .map(|record| (record.1, record.0.to_string()));
        line(&[
            ("request", row.request.to_string()),
            ("from", self.process(row.from)),
            ("wanted", format!("{:?}", row.wanted)),
            ("record", format!("{record:?}")),
            ("req", format!("{:?}", row.req_id)),
            ("owner", row.owner.to_string()),
            ("target", format!("{:?} {}", row.target, row.target_gone)),
            ("shared", row.shared.to_string()),
            (
                "inheritance",
                format!("{:?}", row.inheritance.map(|row| row.name())),
            ),
            ("warn", format!("{:?}", row.warn_timeout)),
        ])
    }
}

/// The engine's state in words.
pub(super) fn of_state(state: &State) -> Vec<String> {
    let view = View(state.image());
    let image = &view.0;
    let scheduler = image.scheduler.map(|at| view.space(at));
    let (request, session) = (image.next_request, image.next_session_id);
    let mut lines = vec![format!("{:?} {request} {session} {scheduler:?}", image.dvm)];
    lines.extend(image.nodes.iter().map(|row| {
        let alloc = row.alloc.map(|at| view.id(at));
        format!("node={} {:?} up={} {alloc:?}", row.name, row.origin, row.up)
    }));
    lines.extend(image.allocations.iter().map(|row| view.alloc(row)));
    lines.extend(image.namespaces.iter().map(|row| view.namespace(row)));
    lines.extend(image.pending.iter().map(|row| view.pending(row)));
    lines.sort();
    lines
}

fn space(model: &Model, uid: u64) -> String {
    model.spaces[&uid].name.clone()
}

fn model_alloc(model: &Model, session: u32, row: &Alloc) -> String {
    let live = |uid: u64| Some(uid).filter(|&uid| model.is_live(uid));
    let mut roots: Vec<String> = model
        .roots(session)
        .into_iter()
        .map(|uid| space(model, uid))
        .collect();
    roots.sort();
    let (to, rank) = row.requestor;
    let requestor = live(to).map(|uid| format!("{}:{rank}", space(model, uid)));
    let asker = live(row.asker).map(|uid| space(model, uid));
    line(&[
        ("alloc", row.id.clone()),
        ("session", session.to_string()),
        ("owner", row.owner_name.clone()),
        ("live", model.is_live(row.owner).to_string()),
        ("shared", row.shared.to_string()),
        ("inheritance", row.inheritance.to_owned()),
        ("warn", format!("{:?}", row.warn)),
        ("requestor", format!("{requestor:?}")),
        ("req", format!("{asker:?} {:?}", row.req_id)),
        ("lent", format!("{:?}", Vec::from_iter(&row.lent))),
        ("roots", format!("{roots:?}")),
    ])
}

fn model_pending(model: &Model, number: u64, row: &Request) -> String {
    let wanted = match row.directive {
        "PMIX_ALLOC_NEW" => WantedImage::New,
        "PMIX_ALLOC_EXTEND" => WantedImage::Extend,
        _ => WantedImage::Reaquire,
    };
    let gone = row
        .target
        .as_ref()
        .is_some_and(|target| !model.is_live(target.0));
    line(&[
        ("request", number.to_string()),
        (
            "from",
            format!("{}:{}", space(model, row.from.0), row.from.1),
        ),
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
    ])
}

/// The model's state in words.
pub(super) fn of_model(model: &Model) -> Vec<String> {
    let id = |session: u32| model.allocs[&session].id.clone();
    let dvm = if model.down { Dvm::Down } else { Dvm::Up };
    let scheduler = model.scheduler().map(|uid| space(model, uid));
    let (request, session) = (model.next_request, model.next_session);
    let mut lines = vec![format!("{dvm:?} {request} {session} {scheduler:?}")];
    lines.extend(model.nodes.iter().map(|(name, row)| {
        let alloc = row.alloc.map(id);
        format!("node={name} {:?} up={} {alloc:?}", row.origin, row.up)
    }));
    lines.extend(
        model
            .allocs
            .iter()
            .map(|(session, row)| model_alloc(model, *session, row)),
    );
    lines.extend(model.spaces.values().map(|row| {
        let sessions: Vec<Option<String>> =
            row.sessions.iter().map(|session| session.map(id)).collect();
        line(&[
            ("ns", row.name.clone()),
            ("kind", format!("{:?}", row.kind)),
            (
                "parent",
                format!("{:?}", row.parent.map(|uid| space(model, uid))),
            ),
            ("live", row.live.to_string()),
            ("sessions", format!("{sessions:?}")),
            ("uses", format!("{:?}", row.uses)),
        ])
    }));
    lines.extend(
        model
            .pending
            .iter()
            .map(|(number, row)| model_pending(model, *number, row)),
    );
    lines.sort();
    lines
}
