//! The sentences. Each comes from data of the plan (runs, states, patterns, origins), none from a description of a policy.

use crate::answers::diff::cause::given;
use crate::answers::row::Row;
use stowplan_engine::count::{Quantity, Rank, counted};
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{Located, PlacedRun, Plan, RankOrder};
use stowplan_engine::policy::{BindTo, MapBy, Ordered};
use stowplan_engine::table::apps::{AppId, Numbering};
use stowplan_engine::table::names::NodeId;
use stowplan_engine::table::origins::{Origin, Rule};
use stowplan_engine::table::states::NodeState;
use stowplan_engine::table::uncovered::Uncovered;

/// Why a rank is where it is, from the map word to the cpus.
pub(super) fn sentences(plan: &Plan, rank: Rank, row: &Row) -> Vec<String> {
    let Some(at) = plan.locate(rank) else {
        return Vec::new();
    };
    let seen = Seen {
        plan,
        rank,
        row,
        at,
        run: &plan.app(at.app).runs()[at.run as usize],
    };
    let mut lines = Vec::new();
    let words = given(plan, at.app);
    let said = |option: &str| {
        let word = words.iter().find(|(known, ..)| *known == option);
        word.map(|(option, value, origin)| spoken(plan, option, value, *origin, at.app))
    };
    lines.extend(said("--map-by"));
    lines.push(seen.node());
    lines.extend(seen.node_before());
    lines.extend(said("--rank-by"));
    lines.push(seen.order());
    lines.push(seen.object());
    lines.extend(super::devices::sentence(plan, rank));
    let policy = plan.app(at.app).policy();
    let mpibind = policy.map(|id| plan.resolved_apps().policies[id].map);
    match (words.iter().find(|word| word.0 == "--bind-to"), mpibind) {
        (Some((option, value, Origin::Default(_))), Some(MapBy::Mpibind(_))) => {
            lines.push(format!("{option} {value}: by mpibind's own rule"));
        }
        _ => lines.extend(said("--bind-to")),
    }
    lines.push(seen.cpus());
    lines.extend(super::gpus::sentence(plan, rank));
    lines
}

/// Who gave a word, or which rule chose it.
fn spoken(plan: &Plan, option: &str, value: &str, origin: Origin, app: AppId) -> String {
    let table = plan.resolved_apps();
    let uncounted = table.np[app].is_none() && plan.ranks() > 2 && value.starts_with(['c', 'h']);
    let jobs_pe = option == "--map-by" && table.without_pe[app].is_some();
    let app = app.row();
    match origin {
        Origin::App if jobs_pe => {
            let (own, pe) = value.split_once(":pe=").unwrap_or((value, ""));
            let pe = pe.split(':').next().unwrap_or_default();
            format!(
                "{option} {own}: asked on app {app}; pe={pe} is the job's, said on its first app"
            )
        }
        Origin::App => format!("{option} {value}: asked on app {app}"),
        Origin::Job => format!("{option} {value}: asked for the job, on its first app"),
        Origin::Parent => format!("{option} {value}: handed down by the parent job"),
        Origin::Default(Rule::BindBySize) if uncounted => format!(
            "{option} {value}: by default, as no -n is given, which counts as no process at all: -n would bind more than two to a numa node each"
        ),
        Origin::Default(rule) => {
            format!("{option} {value}: by default, {}", reason(rule))
        }
    }
}

/// The rule of a default, as a reason.
const fn reason(rule: Rule) -> &'static str {
    match rule {
        Rule::MapCore => "as nothing else was said",
        Rule::MapSlotForPe => "as pe was given without a place to map to",
        Rule::MapAsBound => "as that is what processes are bound to",
        Rule::RankAsMapped => "as ranks follow the mapping",
        Rule::BindAsMapped => "as that is what processes are mapped to",
        Rule::BindForPe => "as pe counts cpus",
        Rule::BindPeList => "as the list names cpus",
        Rule::BindOwnMap => "as the app has a map of its own without objects",
        Rule::MapParameter => "as the parameter mapby says",
        Rule::RankParameter => "as the parameter rankby says",
        Rule::BindParameter => "as the parameter bindto says",
        Rule::BindBySize => "by the number of processes: a core up to two, a numa node beyond",
    }
}

/// A count of nodes, in words.
fn nodes(count: u64) -> Quantity {
    counted(count, "node")
}

/// One process, with its row and its run.
struct Seen<'p> {
    plan: &'p Plan,
    rank: Rank,
    row: &'p Row,
    at: Located,
    run: &'p PlacedRun,
}

impl Seen<'_> {
    fn runs(&self) -> &[PlacedRun] {
        self.plan.app(self.at.app).runs()
    }

    /// The runs before the rank's own.
    fn earlier(&self) -> &[PlacedRun] {
        &self.runs()[..self.at.run as usize]
    }

    fn state(&self, node: u32) -> &NodeState {
        let world = self.plan.world();
        let id = world.before.state(NodeId::from_row(node as usize));
        world.states.get(id)
    }

    /// The number of the app's nodes before this one, and of its processes on them.
    fn before(&self) -> (u64, u64) {
        let sums = self.earlier().iter().fold((0, 0), |(nodes, procs), run| {
            let count = u64::from(run.nodes.count);
            (nodes + count, procs + count * u64::from(run.procs))
        });
        let here = u64::from(self.at.node);
        (sums.0 + here, sums.1 + here * u64::from(self.run.procs))
    }

    /// How many of the app's processes the node holds, and which slots it had for them.
    fn node(&self) -> String {
        let all: u64 = self
            .runs()
            .iter()
            .map(|run| u64::from(run.nodes.count))
            .sum();
        let (before, _) = self.before();
        let state = self.state(self.run.nodes.first + self.at.node);
        let earlier = match self.run.own_before {
            0 => String::new(),
            own => format!(", after {own} of earlier {}", self.rows()),
        };
        format!(
            "{} is number {before} of the {} that {} is on and holds {} of its {}{earlier}: {}, {} taken before the job",
            self.row.node,
            nodes(all),
            self.app(),
            self.run.procs,
            counted(self.plan.app(self.at.app).procs().0, "process"),
            counted(state.slots, "slot"),
            state.used
        )
    }

    /// Why the process is not on the node before.
    fn node_before(&self) -> Option<String> {
        let (run, node) = if self.at.node > 0 {
            (self.run, self.run.nodes.first + self.at.node - 1)
        } else {
            let run = self.earlier().last()?;
            (run, run.nodes.end() - 1)
        };
        let name = self
            .plan
            .world()
            .names
            .name(NodeId::from_row(node as usize));
        let state = self.state(node);
        let left = state.left().saturating_sub(run.own_before);
        let full = if run.procs >= left {
            format!("no slot is left there (it had {left} for the app)")
        } else {
            format!(
                "its share of the {} that it had for the app",
                counted(left, "slot")
            )
        };
        Some(format!(
            "{name}, the node before, holds {} of the app: {full}",
            counted(run.procs, "process")
        ))
    }

    /// The app, or the part of it that has the rank, in words.
    fn app(&self) -> String {
        let part = match self.plan.resolved_apps().has_parts() {
            true => "this part of ",
            false => "",
        };
        format!("{part}app {}", self.row.app)
    }

    /// What the rows of the plan's apps are.
    fn rows(&self) -> &'static str {
        match self.plan.resolved_apps().has_parts() {
            true => "parts of apps",
            false => "apps",
        }
    }

    /// How the rank got its number.
    fn order(&self) -> String {
        let (rank, app) = (self.rank.0, self.app());
        let base = self.plan.app(self.at.app).base().0;
        let node = &self.row.node;
        let (ahead, procs) = self.before();
        let before = nodes(ahead);
        match self.plan.app(self.at.app).order() {
            RankOrder::Slot | RankOrder::Fill => {
                let first = u64::from(base) + procs;
                let fill = self.plan.app(self.at.app).order() == &RankOrder::Fill;
                let by = if fill {
                    ", on each object by object"
                } else {
                    ""
                };
                format!(
                    "ranks go node by node{by}: {app} begins with rank {base}, {procs} of its processes are on the {before} before, so {node} begins with rank {first}, and rank {rank} is number {} there",
                    u64::from(rank) - first
                )
            }
            RankOrder::Node => {
                let round = self.at.local;
                let mut given = 0_u64;
                let mut ahead = u64::from(self.at.node);
                for (number, run) in (0..).zip(self.runs()) {
                    let count = u64::from(run.nodes.count);
                    given += count * u64::from(run.procs.min(round));
                    if number < self.at.run && run.procs > round {
                        ahead += count;
                    }
                }
                let are_given = match given {
                    1 => "1 rank is given".to_owned(),
                    given => format!("{given} ranks are given"),
                };
                format!(
                    "ranks go round by round over nodes: {app} begins with rank {base}, {are_given} before round {round}, {ahead} in it before {node}: {base} + {given} + {ahead} = {rank}"
                )
            }
            RankOrder::Span => format!(
                "ranks go round by round over the objects of all nodes: {app} begins with rank {base}, and this is number {} of that order",
                self.row.app_rank
            ),
            RankOrder::Listed(_) => self.listed(),
        }
    }

    /// Which line of a file decides the place of the rank.
    fn listed(&self) -> String {
        let table = self.plan.resolved_apps();
        let Some((listing, numbering)) = table.listing[self.at.app] else {
            let policy = self.plan.app(self.at.app).policy();
            let given = policy.is_some_and(|id| table.policies[id].map == MapBy::Given);
            let order = match given {
                true => "the order that its launcher gives",
                false => "the order of the cpu list",
            };
            return format!("rank {} is in {order}", self.rank.0);
        };
        let listing = &table.listings[listing];
        let number = match numbering {
            Numbering::App => self.row.app_rank,
            Numbering::Job => self.rank.0,
        };
        let after = listing
            .entries
            .partition_point(|entry| entry.number <= number);
        match after.checked_sub(1).map(|at| listing.entries[at]) {
            Some(entry) => format!(
                "rank {} is listed in {}: entry {number}, line {}",
                self.rank.0, listing.path, entry.line
            ),
            None => format!("rank {} is listed in {}", self.rank.0, listing.path),
        }
    }

    /// The object of the process, and its number on the node.
    fn object(&self) -> String {
        let state = self.state(self.run.nodes.first + self.at.node);
        let local = format!(
            "it is process {} of {} on {}, local rank {} (after {} of earlier {})",
            self.at.local,
            self.app(),
            self.row.node,
            self.row.local_rank,
            self.run.own_before,
            self.rows()
        );
        match (&self.row.object, self.run.kind) {
            (Some(object), Some(kind)) => {
                let count = self.plan.world().topologies.count(state.topology, kind);
                format!("{local}, and gets {object} of {count}")
            }
            _ => format!("{local}, mapped to no object"),
        }
    }

    /// What the process is bound to.
    fn cpus(&self) -> String {
        let table = self.plan.resolved_apps();
        let policy = self.plan.app(self.at.app).policy();
        let bind = policy.map(|id| table.policies[id].bind);
        match (&self.row.cpus, bind) {
            (Some(cpus), _) => {
                let state = self.state(self.run.nodes.first + self.at.node);
                let all = self.plan.world().topologies.pus_os(state.topology).len();
                let whole_list = policy.is_some_and(|id| {
                    let own = &table.policies[id];
                    own.map == MapBy::PeList && own.ordered == Ordered::No
                });
                let list = if whole_list {
                    ": a list that is not :ordered is one mask, and every process has all of it"
                } else {
                    ""
                };
                format!("so it is bound to cpus {cpus} (OS numbers) of {all}{list}")
            }
            (None, Some(BindTo::Nothing) | None) => {
                format!("so it may run on every cpu of {}", self.row.node)
            }
            (None, Some(BindTo::Object(kind))) => {
                let node = self.run.nodes.first + self.at.node;
                let state = self.state(node);
                let world = self.plan.world();
                let allowed = world.pusets.get(state.allowed);
                let why = Uncovered::new(&world.topologies, state.topology, allowed, kind).reason();
                let why = why.unwrap_or_else(|| "it has too few free cpus for it".to_owned());
                format!("the binding was given up on {}: {why}", self.row.node)
            }
            (None, Some(BindTo::BySize)) => {
                format!("the default binding was given up on {}", self.row.node)
            }
        }
    }
}
