//! How things end in the model: rules are applied again and again until nothing changes.

use super::model::{Facts, Model, Said};
use std::collections::BTreeSet;
use stowplan_session::{NodeOrigin, SpaceKind, Status};

impl Model {
    pub(super) fn stop(
        &mut self,
        name: &str,
        meant: impl Fn(SpaceKind) -> bool,
        facts: &mut Facts,
    ) -> Said<()> {
        let uid = self
            .live(name)
            .filter(|uid| meant(self.spaces[uid].kind))
            .ok_or(Status::NotFound)?;
        self.die(uid, facts);
        self.settle(facts);
        Ok(())
    }

    pub(super) fn fail(&mut self, name: &str, facts: &mut Facts) -> Said<()> {
        self.nodes.get_mut(name).ok_or(Status::NotFound)?.up = false;
        self.kill_on(&BTreeSet::from([name.to_owned()]), facts);
        self.settle(facts);
        Ok(())
    }

    pub(super) fn end_all(&mut self, facts: &mut Facts) -> Said<()> {
        facts.extend(
            self.allocs
                .values()
                .map(|alloc| format!("ended {} released teardown", alloc.id)),
        );
        let jobs = self
            .spaces
            .values()
            .filter(|space| space.live && space.kind == SpaceKind::Job);
        facts.extend(jobs.map(|space| format!("killed {}", space.name)));
        facts.extend(self.nodes.keys().map(|name| format!("departed {name}")));
        facts.extend(
            self.pending
                .keys()
                .map(|number| format!("dropped {number}")),
        );
        self.down = true;
        self.nodes.clear();
        self.allocs.clear();
        self.spaces.clear();
        self.pending.clear();
        Ok(())
    }

    /// A namespace dies: its sessions, uses and pending requests end with it.
    fn die(&mut self, uid: u64, facts: &mut Facts) {
        let space = self.spaces.get_mut(&uid).unwrap();
        space.live = false;
        space.sessions.clear();
        space.uses.clear();
        self.pending.retain(|number, row| {
            if row.from.0 == uid {
                facts.push(format!("dropped {number}"));
            }
            row.from.0 != uid
        });
    }

    fn kill_on(&mut self, gone: &BTreeSet<String>, facts: &mut Facts) {
        let hit = self
            .spaces
            .iter()
            .filter(|row| !row.1.uses.is_disjoint(gone));
        for uid in hit.map(|row| *row.0).collect::<Vec<_>>() {
            facts.push(format!("killed {}", self.spaces[&uid].name));
            self.die(uid, facts);
        }
    }

    pub(super) fn depart(&mut self, gone: &BTreeSet<String>, facts: &mut Facts) {
        self.kill_on(gone, facts);
        for name in gone {
            facts.push(format!("departed {name}"));
            self.nodes.remove(name);
        }
    }

    fn stay(&mut self, session: u32, staying: &BTreeSet<String>, facts: &mut Facts) {
        for name in staying {
            self.nodes.get_mut(name).unwrap().alloc = None;
            if !self.allocs[&session].shared {
                facts.push(format!("reverted {name}"));
            }
        }
    }

    /// Nodes leave a record in the same way as under release.
    pub(super) fn give_back(&mut self, session: u32, chosen: &BTreeSet<String>, facts: &mut Facts) {
        let startup = |name: &&String| self.nodes[*name].origin == NodeOrigin::Startup;
        let carved: BTreeSet<String> = chosen.iter().filter(startup).cloned().collect();
        let granted: BTreeSet<String> = chosen.difference(&carved).cloned().collect();
        self.stay(session, &carved, facts);
        self.depart(&granted, facts);
    }

    pub(super) fn finish(&mut self, session: u32, how: &str, why: &str, facts: &mut Facts) {
        let nodes = self.held(session);
        if how == "released" {
            self.give_back(session, &nodes, facts);
        } else {
            self.stay(session, &nodes, facts);
        }
        for space in self
            .spaces
            .values_mut()
            .filter(|space| space.sessions.contains(&Some(session)))
        {
            space.sessions.retain(|other| *other != Some(session));
            if space.sessions.is_empty() {
                space.sessions.push(None);
            }
        }
        let alloc = self.allocs.remove(&session).unwrap();
        facts.push(format!("ended {} {how} {why}", alloc.id));
    }

    fn due(&self) -> Option<(u32, &'static str)> {
        self.allocs.iter().find_map(|(&session, alloc)| {
            let dead = !self.is_live(alloc.owner);
            let drained = dead && self.roots(session).is_empty();
            match alloc.inheritance {
                "NONE" if dead => Some((session, "released")),
                "DEFAULT" if dead => Some((session, "unreserved")),
                "CHILD" if drained => Some((session, "released")),
                "CHILD_DEFAULT" if drained => Some((session, "unreserved")),
                _ => None,
            }
        })
    }

    pub(super) fn settle(&mut self, facts: &mut Facts) {
        while let Some((session, how)) = self.due() {
            self.finish(session, how, "inheritance", facts);
        }
        let gone: Vec<u64> = self
            .spaces
            .keys()
            .copied()
            .filter(|&uid| !self.is_active(uid))
            .collect();
        for uid in gone {
            self.spaces.remove(&uid);
        }
    }
}
