//! An app: the policies it asked for and their origins, then its placement.

use super::numbered::Numbered;
use crate::format::{Told, policy};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use stowplan_engine::plan::{AppPlan, PlacedRun, RankOrder};
use stowplan_engine::table::apps::{AppId, Policy};
use stowplan_engine::table::origins::Origin;

/// One app.
pub(super) struct AppView<'a> {
    pub(super) told: &'a Told<'a>,
    pub(super) numbered: &'a Numbered,
    pub(super) app: AppId,
}

impl Serialize for AppView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let plan = self.told.plan;
        let placed = plan.app(self.app);
        let table = plan.resolved_apps();
        let mut map = serializer.serialize_map(None)?;
        if table.has_parts() {
            map.serialize_entry("app", &table.number(self.app))?;
        }
        map.serialize_entry("program", &table.label[self.app])?;
        map.serialize_entry("asked", &table.np[self.app].map(|count| count.0))?;
        map.serialize_entry("first_rank", &placed.base().0)?;
        map.serialize_entry("ranks", &placed.procs().0)?;
        map.serialize_entry("policy", &self.policy())?;
        map.serialize_entry("order", order_word(placed.order()))?;
        if let RankOrder::Listed(_) = placed.order() {
            map.serialize_entry("listed", &Listed { placed })?;
        }
        map.serialize_entry("runs", &Runs { view: self, placed })?;
        map.end()
    }
}

impl AppView<'_> {
    /// `null` for a hole in the request.
    fn policy(&self) -> Option<PolicyView> {
        let table = self.told.plan.resolved_apps();
        // The policy of the plan, in which the binding is decided.
        let id = self.told.plan.app(self.app).policy()?;
        let policy = &table.policies[id];
        let origins = table.origins[self.app];
        Some(PolicyView {
            map: Word {
                by: policy::map(policy, table),
                qualifiers: policy::map_qualifiers(policy),
                origin: origins.map(|origins| OriginView::new(origins.map)),
            },
            rank: Word {
                by: policy::rank(policy).to_owned(),
                qualifiers: Vec::new(),
                origin: origins.map(|origins| OriginView::new(origins.rank)),
            },
            bind: Word {
                by: policy::bind(policy).to_owned(),
                qualifiers: policy::bind_qualifiers(policy),
                origin: origins.map(|origins| OriginView::new(origins.bind)),
            },
            strength: policy::strength(policy),
            cpus_per_rank: policy.pe,
            cpu: cpu(policy),
        })
    }
}

fn cpu(policy: &Policy) -> &'static str {
    policy::mode(policy.mode)
}

/// The three policies of an app, every default decided.
#[derive(Serialize)]
struct PolicyView {
    map: Word,
    rank: Word,
    bind: Word,
    strength: &'static str,
    cpus_per_rank: u16,
    cpu: &'static str,
}

/// A policy word, its qualifiers, and where it came from.
#[derive(Serialize)]
struct Word {
    by: String,
    qualifiers: Vec<String>,
    origin: Option<OriginView>,
}

/// `app`, `job`, `parent`, or `default` with its rule.
#[derive(Serialize)]
struct OriginView {
    from: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'static str>,
}

impl OriginView {
    fn new(origin: Origin) -> Self {
        let (from, rule) = policy::origin(origin);
        Self { from, rule }
    }
}

const fn order_word(order: &RankOrder) -> &'static str {
    match order {
        RankOrder::Slot => "slot",
        RankOrder::Fill => "fill",
        RankOrder::Node => "node",
        RankOrder::Span => "span",
        RankOrder::Listed(_) => "listed",
    }
}

/// Ranks that are listed: [first app rank, node, first local process].
struct Listed<'a> {
    placed: &'a AppPlan,
}

impl Serialize for Listed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let runs = match self.placed.order() {
            RankOrder::Listed(runs) => &runs[..],
            RankOrder::Slot | RankOrder::Fill | RankOrder::Node | RankOrder::Span => &[],
        };
        serializer.collect_seq(runs.iter().map(|run| (run.rank, run.node, run.local)))
    }
}

/// Neighbouring nodes with the same processes.
struct Runs<'a> {
    view: &'a AppView<'a>,
    placed: &'a AppPlan,
}

impl Serialize for Runs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let runs = self.placed.runs().iter();
        serializer.collect_seq(runs.map(|run| RunView::new(run, self.view.numbered)))
    }
}

#[derive(Serialize)]
struct RunView {
    first: u32,
    count: u32,
    procs: u32,
    pattern: usize,
    kind: Option<&'static str>,
    local_rank: u32,
    node_rank: u32,
}

impl RunView {
    fn new(run: &PlacedRun, numbered: &Numbered) -> Self {
        Self {
            first: run.nodes.first,
            count: run.nodes.count,
            procs: run.procs,
            pattern: numbered.pattern(run.pattern),
            kind: run.kind.map(stowplan_engine::policy::ObjKind::word),
            local_rank: run.own_before,
            node_rank: run.used_before,
        }
    }
}
