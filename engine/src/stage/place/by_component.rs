//! An app that a launcher's own component places. The component chooses counts and objects; the engine lays and binds
//! (`node/layout/builder.rs`: `chosen`).
//! Source: `per-app` 5.

use super::app::App;
use super::group::{NodeGroup, NodeTake};
use super::map_policy::{GroupView, MapPolicy, lay_or_refuse};
use super::memo::TrialId;
use super::placement::Placement;
use super::refuse::not_enough_slots;
use crate::count::{ProcCount, counted};
use crate::error::phrases::Counted;
use crate::error::{MapError, PlaceError};
use crate::id::Id as _;
use crate::limit::RANKS_MAX;
use crate::policy::{BindTo, MapBy, Oversubscribe, RankBy, Span};
use crate::stage::component::{
    Asked, ComponentPattern, Count, Declined, Node, Objects, Room, Share,
};
use crate::stage::node::layout::{Binding, Layout};
use crate::stage::node::units::narrow;
use crate::table::apps::Policy;
use crate::table::names::NodeId;
use std::collections::{BTreeMap, HashMap};

/// The policy by which the engine lays the counts of a component.
pub(crate) fn laid(policy: &Policy, pattern: &ComponentPattern) -> Policy {
    Policy {
        map: match pattern {
            ComponentPattern::Engine(map) => map(policy),
            ComponentPattern::Own { kind, .. } => MapBy::Object(*kind),
        },
        span: Span::No,
        // Ranks in the order of a file's lines become ranks by slot, because there is no file.
        rank: match policy.rank {
            RankBy::Listed => RankBy::Slot,
            rank @ (RankBy::Slot | RankBy::Node | RankBy::Fill | RankBy::Span) => rank,
        },
        ..*policy
    }
}

/// Asks the component how many processes each node gets, and makes that the slots of the node's group. Returns the number of
/// all processes.
///
/// # Errors
/// `failed-map` in the component's own words if it refuses; other errors if the engine refuses its choice.
pub(crate) fn share_out(
    placement: &mut Placement<'_>,
    app: &App<'_>,
    count: &Count,
) -> Result<ProcCount, MapError> {
    let rooms = (0..placement.groups.len()).map(|row| {
        let group = &placement.groups[row];
        Room {
            first: group.nodes.first,
            nodes: group.nodes.count,
            avail: group.avail().min(group.room()),
            node: node_of(placement, row),
        }
    });
    let rooms: Vec<Room<'_>> = rooms.collect();
    let shares = count(&asked(app), &rooms);
    let shares = shares.map_err(|why| declined(app, why))?;
    cut(placement, app, &shares)
}

fn asked<'a>(app: &App<'a>) -> Asked<'a> {
    Asked {
        app: app.id,
        policy: app.policy,
        procs: app.procs.known(),
        apps: &app.resolved.apps,
        request: &app.resolved.request,
    }
}

fn node_of<'w>(placement: &'w Placement<'_>, group: usize) -> Node<'w> {
    Node {
        state: placement.found(group),
        topologies: &placement.tables.topologies,
        pusets: &placement.tables.pusets,
        names: &placement.nodes.names,
    }
}

fn declined(app: &App<'_>, why: Declined) -> MapError {
    let component = app.component.name.to_string();
    let app = app.id.number();
    match why {
        Declined::TakeNextOption => PlaceError::TakeNextOption(app),
        Declined::ResourceBusy(why) => PlaceError::ResourceBusy {
            app,
            component,
            why,
        },
    }
    .into()
}

/// The refusal of an answer that is wrong.
fn busy(app: &App<'_>, why: String) -> MapError {
    declined(app, Declined::ResourceBusy(why))
}

/// Splits the groups into the shares, and makes each share the slots of its groups.
fn cut(
    placement: &mut Placement<'_>,
    app: &App<'_>,
    shares: &[Share],
) -> Result<ProcCount, MapError> {
    let said: u64 = shares.iter().map(|share| u64::from(share.nodes)).sum();
    if said != u64::from(placement.node_count()) {
        let why = format!(
            "its shares cover {}, the app has {}",
            counted(said, "node"),
            counted(placement.node_count(), "node")
        );
        return Err(busy(app, why));
    }
    let all: u64 = shares
        .iter()
        .map(|share| u64::from(share.nodes) * u64::from(share.procs))
        .sum();
    let wanted = app.procs.known().map_or(all, |asked| u64::from(asked.0));
    if all != wanted || all == 0 || all > u64::from(RANKS_MAX) {
        let why = match app.procs.known() {
            Some(asked) => format!(
                "its shares hold {}, the app has {asked}",
                counted(all, "process")
            ),
            None => format!(
                "its shares hold {}, a job has 1 to {RANKS_MAX}",
                counted(all, "process")
            ),
        };
        return Err(busy(app, why));
    }
    let mut shares = shares.iter().copied().filter(|share| share.nodes > 0);
    let mut share = shares.next();
    let mut group = 0;
    while group < placement.groups.len() {
        let Some(Share { nodes, procs }) = share else {
            break;
        };
        let row = placement.groups[group];
        let here = nodes.min(row.nodes.count);
        let room = match placement.policy.oversubscribe {
            Oversubscribe::Refused => row.room().min(row.avail()),
            Oversubscribe::Allowed => row.room(),
        };
        if procs > room {
            let (asked, left) = (u64::from(procs), u64::from(room));
            let app = placement.app;
            return Err(not_enough_slots(app, asked, Counted::Counted, left, 1));
        }
        let parts = [here, row.nodes.count - here].into_iter();
        placement.split(group, parts.filter(|&nodes| nodes > 0));
        placement.groups[group].slots = procs;
        group += 1;
        share = match nodes - here {
            0 => shares.next(),
            nodes => Some(Share { nodes, procs }),
        };
    }
    Ok(ProcCount(u32::try_from(all).expect("checked just now")))
}

/// An app whose component names the object of each process. The component is asked once for each (state, processes).
pub(crate) struct ByObjects<'c> {
    pub(crate) app: &'c App<'c>,
    /// How many processes all shares have.
    pub(crate) procs: ProcCount,
    pub(crate) objects: &'c Objects,
}

impl MapPolicy for ByObjects<'_> {
    fn place(&mut self, placement: &mut Placement<'_>) -> Result<(), MapError> {
        let binding = if placement.policy.bind == BindTo::Nothing {
            Binding::Off
        } else {
            Binding::On
        };
        placement.begin(self.procs, binding);
        let mut known: HashMap<(TrialId, u32), Layout> = HashMap::new();
        for group in 0..placement.groups.len() {
            let NodeGroup { slots, trial, .. } = placement.groups[group];
            let layout = match known.get(&(trial, slots)) {
                Some(&layout) => layout,
                None if slots == 0 => continue,
                None => {
                    placement.chosen.push(self.chosen(placement, group)?);
                    let layout = Layout::Chosen(narrow(placement.chosen.len() - 1), binding);
                    known.insert((trial, slots), layout);
                    layout
                }
            };
            placement.allot(group, layout, slots);
        }
        lay_or_refuse(placement, self)
    }

    fn node_takes(&mut self, view: &mut GroupView<'_, '_>) -> Result<NodeTake, MapError> {
        Ok(NodeTake {
            layout: Layout::Plain(view.placement.binding),
            procs: view.slots(),
        })
    }
}

impl ByObjects<'_> {
    /// The objects of the processes of a node, as rows of the mapped objects.
    fn chosen(&self, placement: &Placement<'_>, group: usize) -> Result<Vec<usize>, MapError> {
        let Self { app, objects, .. } = self;
        let procs = placement.groups[group].slots;
        let chosen = objects(&asked(app), &node_of(placement, group), procs);
        let chosen = chosen.map_err(|why| declined(app, why))?;
        let topology = placement.found(group).topology;
        let view = placement.view(topology);
        let there: BTreeMap<u32, usize> = (0..view.objects.len())
            .map(|at| view.objects.get(at))
            .map(|object| placement.tables.topologies.logical(topology, object))
            .zip(0..)
            .collect();
        let kind = placement.policy.map.word();
        let first = NodeId::from_row(placement.groups[group].nodes.first as usize);
        let node = placement.nodes.names.name(first);
        if chosen.len() != procs as usize {
            let named = counted(chosen.len() as u64, "object");
            let asked = counted(procs, "process");
            return Err(busy(app, format!("it names {named} for {asked} on {node}")));
        }
        let row = |logical: &u32| {
            there.get(logical).copied().ok_or_else(|| {
                let has = there.len();
                busy(
                    app,
                    format!("it names {kind}:{logical} on {node}, which has {has} {kind}"),
                )
            })
        };
        chosen.iter().map(row).collect()
    }
}
