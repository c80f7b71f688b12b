//! An app whose places a component of the launcher's own chooses: its counts, and its objects, laid and bound by the engine.
//! Source: `per-app` 5.

use super::placement::Placement;
use super::policy::{GroupView, PlacePolicy, lay};
use super::trial::{Allotment, Limit};
use crate::count::ProcCount;
use crate::count::counted;
use crate::error::words::Counted;
use crate::error::{MapError, PlaceError};
use crate::limit::RANKS_MAX;
use crate::policy::{BindTo, MapBy, ObjKind, Oversubscribe, RankBy, Span};
use crate::stage::alloc::slots::NotEnoughSlots;
use crate::stage::component::{ComponentPattern, Count, Node, Objects, Room, Share};
use crate::stage::node::layout::{Binding, Layout};
use crate::table::apps::Policy;
use crate::table::states::StateId;
use std::collections::{BTreeMap, HashMap};

/// An app that a component places.
#[derive(Clone, Copy)]
pub(crate) struct Custom<'c> {
    /// The component's name.
    pub(crate) component: &'c str,
    /// The policy as the component is asked about it.
    pub(crate) policy: &'c Policy,
    /// `None`: the component counts.
    pub(crate) procs: Option<ProcCount>,
    pub(crate) count: Count,
    pub(crate) pattern: ComponentPattern,
}

/// The policy by which the engine lays what a component counts.
pub(crate) fn laid(policy: &Policy, pattern: ComponentPattern) -> Policy {
    Policy {
        map: match pattern {
            ComponentPattern::Engine(map) => map(policy),
            ComponentPattern::Own { kind, .. } => MapBy::Object(kind),
        },
        span: Span::No,
        // Ranks by a file's lines are ranks by slot where there is no file.
        rank: match policy.rank {
            RankBy::Listed => RankBy::Slot,
            rank @ (RankBy::Slot | RankBy::Node | RankBy::Fill | RankBy::Span) => rank,
        },
        ..*policy
    }
}

/// Places an app by the functions of a component.
///
/// # Errors
/// `failed-map` with the component's own words where it cannot; what the engine refuses of its choice.
pub(crate) fn place(placement: &mut Placement<'_>, app: Custom<'_>) -> Result<(), MapError> {
    let shares = {
        let rooms = placement.groups.iter().map(|group| Room {
            first: group.nodes.first,
            nodes: group.nodes.count,
            avail: group.avail.min(group.room),
            node: node_of(placement, placement.trial[group.trial].state),
        });
        let rooms: Vec<Room<'_>> = rooms.collect();
        (app.count)(app.policy, app.procs, &rooms).map_err(|why| busy(placement, app, why))?
    };
    let procs = share_out(placement, app, &shares)?;
    match app.pattern {
        ComponentPattern::Engine(_) => {
            // The shares are exact: more than slots or not, the engine fills each and no more.
            placement.policy.oversubscribe = Oversubscribe::Refused;
            super::place(placement, procs, Counted::Given)
        }
        ComponentPattern::Own { kind, objects } => by_objects(placement, app, procs, kind, objects),
    }
}

fn node_of<'w>(placement: &'w Placement<'_>, state: StateId) -> Node<'w> {
    Node {
        state: placement.tables.states.get(state),
        topologies: &placement.tables.topologies,
        pusets: &placement.tables.pusets,
        names: &placement.nodes.names,
    }
}

fn busy(placement: &Placement<'_>, app: Custom<'_>, why: String) -> MapError {
    PlaceError::ResourceBusy {
        app: placement.app_number(),
        component: app.component.to_owned(),
        why,
    }
    .into()
}

/// Cuts the groups into the shares, and makes each group's share all that it may take. Gives the processes of all.
fn share_out(
    placement: &mut Placement<'_>,
    app: Custom<'_>,
    shares: &[Share],
) -> Result<ProcCount, MapError> {
    let said: u64 = shares.iter().map(|share| u64::from(share.nodes)).sum();
    if said != u64::from(placement.node_count()) {
        let why = format!(
            "it counts for {said} of {}",
            counted(placement.node_count(), "node")
        );
        return Err(busy(placement, app, why));
    }
    let all: u64 = shares
        .iter()
        .map(|share| u64::from(share.nodes) * u64::from(share.procs))
        .sum();
    let wanted = app.procs.map_or(all, |asked| u64::from(asked.0));
    if all != wanted || all == 0 || all > u64::from(RANKS_MAX) {
        return Err(busy(
            placement,
            app,
            format!("it counts {all} of {}", counted(wanted, "process")),
        ));
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
            Oversubscribe::Refused => row.room.min(row.avail),
            Oversubscribe::Allowed => row.room,
        };
        if procs > room {
            return Err(NotEnoughSlots {
                app: placement.app_number(),
                asked: u64::from(procs),
                counted: Counted::Counted,
                left: u64::from(room),
                nodes: 1,
            }
            .into());
        }
        placement.split(group, &[here, row.nodes.count - here]);
        placement.groups[group].avail = procs;
        group += 1;
        share = match nodes - here {
            0 => shares.next(),
            nodes => Some(Share { nodes, procs }),
        };
    }
    Ok(ProcCount(u32::try_from(all).expect("checked just now")))
}

/// Places each process on the object that the component names. Asked once for each (state, processes).
fn by_objects(
    placement: &mut Placement<'_>,
    app: Custom<'_>,
    procs: ProcCount,
    kind: ObjKind,
    objects: Objects,
) -> Result<(), MapError> {
    let binding = if placement.policy.bind == BindTo::Nothing {
        Binding::Off
    } else {
        Binding::On
    };
    let mut known: HashMap<(StateId, u32), Layout> = HashMap::new();
    let mut allotments = Vec::new();
    for group in 0..placement.groups.len() {
        let (procs, trial) = (placement.groups[group].avail, placement.groups[group].trial);
        if procs == 0 {
            continue;
        }
        let state = placement.trial[trial].state;
        let layout = match known.get(&(state, procs)) {
            Some(&layout) => layout,
            None => {
                let chosen = objects(app.policy, &node_of(placement, state), procs)
                    .map_err(|why| busy(placement, app, why))?;
                let topology = placement.topology(trial);
                let view = placement.view(topology);
                let there: BTreeMap<u32, usize> = (0..view.objects.len())
                    .map(|at| view.objects.get(at))
                    .map(|object| placement.tables.topologies.logical(topology, object))
                    .zip(0..)
                    .collect();
                let rows: Option<Vec<usize>> = chosen
                    .iter()
                    .map(|logical| there.get(logical).copied())
                    .collect();
                let rows = rows
                    .filter(|rows| rows.len() == procs as usize)
                    .ok_or_else(|| {
                        let (named, kind) = (chosen.len(), kind.word());
                        busy(
                            placement,
                            app,
                            format!("it names {named} objects for {procs} processes, or a {kind} that is not there"),
                        )
                    })?;
                placement.written.push(rows);
                let layout = Layout::Written(
                    crate::stage::node::units::narrow(placement.written.len() - 1),
                    binding,
                );
                known.insert((state, procs), layout);
                layout
            }
        };
        allotments.push(Allotment {
            group,
            layout,
            procs,
        });
    }
    placement.begin(procs, binding);
    lay(placement, &Chosen, &allotments)
}

/// What a component chose.
struct Chosen;

impl PlacePolicy for Chosen {
    fn limit(&self, view: &GroupView<'_, '_>) -> Result<Limit, MapError> {
        Ok(Limit {
            layout: Layout::Plain(view.placement.binding),
            procs: view.slots(),
        })
    }
}
