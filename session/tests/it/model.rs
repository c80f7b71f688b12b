//! A DVM of plain sets: slow, and easy to compare with the text. Its identities are numbers that are never used twice.

use std::collections::{BTreeMap, BTreeSet};
use stowplan_session::{
    Config, Event, EventValue, Feature, NodeOrigin, SpaceKind, Status, ToolRole,
};

pub(super) type Uid = u64;
pub(super) type Facts = Vec<String>;
pub(super) type Said<T> = Result<T, Status>;

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) origin: NodeOrigin,
    pub(super) up: bool,
    /// A session number.
    pub(super) alloc: Option<u32>,
}

#[derive(Clone, Debug)]
pub(super) struct Alloc {
    pub(super) id: String,
    pub(super) owner: Uid,
    pub(super) owner_name: String,
    pub(super) shared: bool,
    pub(super) inheritance: &'static str,
    pub(super) warn: Option<u32>,
    pub(super) requestor: (Uid, u32),
    pub(super) asker: Uid,
    pub(super) req_id: Option<String>,
    pub(super) lent: BTreeSet<String>,
    /// Every namespace ever spawned in it.
    pub(super) spawned: BTreeSet<Uid>,
}

#[derive(Clone, Debug)]
pub(super) struct Space {
    pub(super) name: String,
    pub(super) kind: SpaceKind,
    pub(super) parent: Option<Uid>,
    pub(super) live: bool,
    /// `None` is the default session.
    pub(super) sessions: Vec<Option<u32>>,
    pub(super) uses: BTreeSet<String>,
}

#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) from: (Uid, u32),
    pub(super) directive: &'static str,
    /// Session number and id of the record.
    pub(super) record: Option<(u32, String)>,
    pub(super) req_id: Option<String>,
    pub(super) owner: String,
    pub(super) target: Option<(Uid, String)>,
    pub(super) shared: bool,
    pub(super) inheritance: Option<&'static str>,
    pub(super) warn: Option<u32>,
}

#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) config: Config,
    pub(super) down: bool,
    pub(super) next_request: u64,
    pub(super) next_session: u32,
    pub(super) next_uid: Uid,
    pub(super) nodes: BTreeMap<String, Node>,
    pub(super) allocs: BTreeMap<u32, Alloc>,
    pub(super) spaces: BTreeMap<Uid, Space>,
    pub(super) pending: BTreeMap<u64, Request>,
}

impl Model {
    pub(super) fn new(
        config: Config,
        nodes: &[&str],
        tools: &[&str],
        scheduler: Option<&str>,
    ) -> Self {
        let node = |name: &&str| {
            (
                (*name).to_owned(),
                Node {
                    origin: NodeOrigin::Startup,
                    up: true,
                    alloc: None,
                },
            )
        };
        let mut model = Self {
            config,
            down: false,
            next_request: 1,
            next_session: config.next_session_id,
            next_uid: 1,
            nodes: nodes.iter().map(node).collect(),
            allocs: BTreeMap::new(),
            spaces: BTreeMap::new(),
            pending: BTreeMap::new(),
        };
        for name in tools {
            model.arrive(name, SpaceKind::Tool, None);
        }
        if let Some(name) = scheduler {
            model.arrive(name, SpaceKind::Scheduler, None);
        }
        model
    }

    pub(super) fn arrive(&mut self, name: &str, kind: SpaceKind, parent: Option<Uid>) -> Uid {
        let uid = self.next_uid;
        self.next_uid += 1;
        let name = name.to_owned();
        let space = Space {
            name,
            kind,
            parent,
            live: true,
            sessions: Vec::new(),
            uses: BTreeSet::new(),
        };
        self.spaces.insert(uid, space);
        uid
    }

    pub(super) fn has(&self, feature: Feature) -> bool {
        self.config.available.has(feature)
    }
    pub(super) fn row(&self, name: &str) -> Option<Uid> {
        self.spaces
            .iter()
            .find(|row| row.1.name == name)
            .map(|row| *row.0)
    }
    pub(super) fn is_live(&self, uid: Uid) -> bool {
        self.spaces.get(&uid).is_some_and(|space| space.live)
    }
    pub(super) fn live(&self, name: &str) -> Option<Uid> {
        self.row(name).filter(|&uid| self.is_live(uid))
    }
    pub(super) fn scheduler(&self) -> Option<Uid> {
        self.spaces
            .iter()
            .find(|row| row.1.live && row.1.kind == SpaceKind::Scheduler)
            .map(|row| *row.0)
    }
    pub(super) fn by_id(&self, id: &str) -> Option<u32> {
        self.allocs
            .iter()
            .find(|row| row.1.id == id)
            .map(|row| *row.0)
    }
    pub(super) fn owners(&self, session: u32) -> BTreeSet<Uid> {
        let seated = self
            .spaces
            .iter()
            .filter(|row| row.1.live && row.1.sessions.contains(&Some(session)));
        let owner = Some(self.allocs[&session].owner).filter(|&owner| self.is_live(owner));
        seated.map(|row| *row.0).chain(owner).collect()
    }
    /// A namespace has a row only while it is active, so every namespace with a row is active.
    pub(super) fn roots(&self, session: u32) -> BTreeSet<Uid> {
        let alloc = &self.allocs[&session];
        let all = alloc.spawned.iter().copied().chain([alloc.owner]);
        all.filter(|&uid| self.is_active(uid)).collect()
    }
    pub(super) fn is_active(&self, uid: Uid) -> bool {
        let child = |row: (&Uid, &Space)| row.1.parent == Some(uid) && self.is_active(*row.0);
        self.spaces.contains_key(&uid) && (self.is_live(uid) || self.spaces.iter().any(child))
    }
    pub(super) fn held(&self, session: u32) -> BTreeSet<String> {
        self.nodes
            .iter()
            .filter(|row| row.1.alloc == Some(session))
            .map(|row| row.0.clone())
            .collect()
    }
    pub(super) fn named(&self, name: &str) -> bool {
        !name.is_empty() && name.len() as u64 <= self.config.limits.max_name
    }

    pub(super) fn who(&self, from: &str) -> Said<(Uid, u32)> {
        let (name, rank) = from.split_once(':').unwrap_or((from, "0"));
        let digits = !rank.is_empty()
            && rank.len() <= 10
            && rank.chars().all(|letter| letter.is_ascii_digit());
        let rank = if digits { rank.parse().ok() } else { None };
        match (self.live(name), rank) {
            (Some(uid), Some(rank)) => Ok((uid, rank)),
            _ => Err(Status::NoPermissions),
        }
    }

    /// The whole transition: the status, and what happened, in words.
    pub(super) fn step(&mut self, event: &Event<'_>) -> (Status, Facts) {
        if self.down {
            return (Status::NotAvailable, Vec::new());
        }
        let mut facts = Vec::new();
        let said = match event {
            Event::Alloc {
                from,
                directive,
                attrs,
            } => return self.alloc(from, directive, attrs),
            Event::Grant {
                req,
                nodes,
                alloc_id,
            } => return self.grant(*req, nodes, alloc_id),
            Event::Deny { req, status } => return self.deny(*req, status),
            Event::Spawn {
                from,
                job,
                target,
                hosts,
            } => self.spawn(from, job, target, hosts, &mut facts),
            Event::JobEnd { ns } => self.stop(ns, |kind| kind == SpaceKind::Job, &mut facts),
            Event::ToolDetach { ns } => self.stop(ns, |kind| kind != SpaceKind::Job, &mut facts),
            Event::ToolAttach { ns, role } => self.attach(ns, *role),
            Event::NodeDown { node } => self.fail(node, &mut facts),
            Event::NodeUp { node } => match self.nodes.get_mut(*node) {
                Some(node) => {
                    node.up = true;
                    Ok(())
                }
                None => Err(Status::NotFound),
            },
            Event::Warn {
                alloc_id,
                time_remaining,
            } => self.warn(alloc_id, *time_remaining, &mut facts),
            Event::Reclaim { alloc_id, .. } => match self.by_id(alloc_id) {
                Some(session) => {
                    self.finish(session, "released", "reclaim", &mut facts);
                    self.settle(&mut facts);
                    Ok(())
                }
                None => Err(Status::NotFound),
            },
            Event::DvmEnd => self.end_all(&mut facts),
        };
        match said {
            Ok(()) => (Status::Success, facts),
            Err(status) => (status, Vec::new()),
        }
    }

    fn attach(&mut self, name: &str, role: ToolRole) -> Said<()> {
        if !self.named(name) || name.contains(':') {
            return Err(Status::BadParam);
        }
        let scheduler = role == ToolRole::Scheduler;
        if self.row(name).is_some() || (scheduler && self.scheduler().is_some()) {
            return Err(Status::Exists);
        }
        if self.spaces.len() as u64 >= self.config.limits.max_namespaces {
            return Err(Status::OutOfResource);
        }
        self.arrive(
            name,
            if scheduler {
                SpaceKind::Scheduler
            } else {
                SpaceKind::Tool
            },
            None,
        );
        Ok(())
    }

    fn warn(&self, id: &str, left: u32, facts: &mut Facts) -> Said<()> {
        if !self.has(Feature::WarnTimeout) {
            return Err(Status::NotSupported);
        }
        let alloc = &self.allocs[&self.by_id(id).ok_or(Status::NotFound)?];
        let (uid, rank) = alloc.requestor;
        if !self.is_live(uid) {
            return Err(Status::Unreach);
        }
        let name = &self.spaces[&uid].name;
        facts.push(format!(
            "notify {name}:{rank} of {id}, {left} left, {:?}",
            alloc.req_id
        ));
        Ok(())
    }

    fn targets(&self, by: Uid, target: &EventValue<'_>) -> Said<Vec<Option<u32>>> {
        let list: Vec<&str> = match target {
            _ if !self.has(Feature::SpawnTarget) => return Ok(self.unsaid(by)),
            EventValue::Absent => return Ok(self.unsaid(by)),
            EventValue::Text(text) => vec![text],
            EventValue::Texts(list) => list.clone(),
            EventValue::Bool(_) | EventValue::Int(_) | EventValue::Other(_) => {
                return Err(Status::BadParam);
            }
        };
        if list.is_empty() || list.len() as u64 > self.config.limits.max_targets {
            return Err(Status::BadParam);
        }
        let mut sessions = Vec::new();
        for entry in list {
            let session = if entry.is_empty() {
                None
            } else {
                let session = self.by_id(entry).ok_or(Status::NotFound)?;
                let shared = self.allocs[&session].shared;
                if !shared && self.scheduler() != Some(by) && !self.owners(session).contains(&by) {
                    return Err(Status::NoPermissions);
                }
                Some(session).filter(|_| !shared)
            };
            if !sessions.contains(&session) {
                sessions.push(session);
            }
        }
        Ok(sessions)
    }

    fn unsaid(&self, by: Uid) -> Vec<Option<u32>> {
        let space = &self.spaces[&by];
        if space.kind == SpaceKind::Job {
            vec![space.sessions[0]]
        } else {
            vec![None]
        }
    }

    fn sees(&self, sessions: &[Option<u32>], node: &Node) -> bool {
        let reserved = node.alloc.filter(|session| !self.allocs[session].shared);
        node.up && sessions.contains(&reserved)
    }

    fn spawn(
        &mut self,
        from: &str,
        job: &str,
        target: &EventValue<'_>,
        hosts: &EventValue<'_>,
        facts: &mut Facts,
    ) -> Said<()> {
        let (by, _) = self.who(from)?;
        if !self.named(job) || job.contains(':') {
            return Err(Status::BadParam);
        }
        let hosts: Option<BTreeSet<String>> = match hosts {
            EventValue::Absent => None,
            EventValue::Texts(list) if !list.is_empty() => {
                Some(list.iter().map(|&name| name.to_owned()).collect())
            }
            EventValue::Texts(_)
            | EventValue::Text(_)
            | EventValue::Bool(_)
            | EventValue::Int(_)
            | EventValue::Other(_) => {
                return Err(Status::BadParam);
            }
        };
        let sessions = self.targets(by, target)?;
        if self.row(job).is_some() {
            return Err(Status::Exists);
        }
        if self.spaces.len() as u64 >= self.config.limits.max_namespaces {
            return Err(Status::OutOfResource);
        }
        let seen = self.nodes.iter().filter(|row| self.sees(&sessions, row.1));
        let candidates: BTreeSet<String> = seen.map(|row| row.0.clone()).collect();
        let uses = hosts.unwrap_or_else(|| candidates.clone());
        if candidates.is_empty() || !uses.is_subset(&candidates) {
            return Err(Status::FailedToMap);
        }
        let ids: Vec<&str> = sessions
            .iter()
            .map(|session| session.map_or("", |session| self.allocs[&session].id.as_str()))
            .collect();
        facts.push(format!(
            "spawned in {ids:?}, may use {candidates:?}, uses {uses:?}"
        ));
        let uid = self.arrive(job, SpaceKind::Job, Some(by));
        for session in sessions.iter().flatten() {
            self.allocs.get_mut(session).unwrap().spawned.insert(uid);
        }
        let space = self.spaces.get_mut(&uid).unwrap();
        space.sessions = sessions;
        space.uses = uses;
        Ok(())
    }
}
