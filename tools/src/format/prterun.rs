//! The layout of prterun's `--display map`: node by node, and on each node a line per process in rank order.

use super::node_names::NodeNames;
use super::sites::Sites;
use super::spread::{self, AppRun, Stretch};
use super::watch::Watch;
use super::{digits, policy};
use roaring::RoaringBitmap;
use std::collections::HashMap;
use std::io::{self, Write};
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{Located, OnDevices, Plan, RankOrder};
use stowplan_engine::policy::{
    BindStrength, BindTo, CpuMode, IfSupported, MapBy, NoLocal, Ordered, Overload, Oversubscribe,
    Span,
};
use stowplan_engine::table::apps::{AppId, AppTable, Policy};
use stowplan_engine::table::cpusets::CpusetId;
use stowplan_engine::table::names::NodeId;
use stowplan_engine::table::topologies::TopologyId;

/// The name that prterun would give the job.
const JOB: &str = "stowplan@1";
/// Bytes that are gathered before they are written.
const BLOCK: usize = 64 << 10;

/// Writes a plan; or with `some`, only these ranks and their nodes.
///
/// # Errors
/// When `out` refuses a write, or `watch` ends the output.
///
/// Cost: a search per rank. Memory: a block, and for ranks by fill, by span or from a list, the ranks of one node.
pub fn write(
    plan: &Plan,
    some: Option<&RoaringBitmap>,
    out: &mut dyn Write,
    watch: &mut dyn Watch,
) -> io::Result<()> {
    out.write_all(head(plan).as_bytes())?;
    let mut page = Page {
        plan,
        some,
        buf: Vec::with_capacity(BLOCK + (BLOCK >> 2)),
        names: NodeNames::new(&plan.world().names),
        bound: HashMap::new(),
        devices: HashMap::new(),
        sites: HashMap::new(),
        done: 0,
    };
    for stretch in spread::stretches(plan) {
        for node in stretch.nodes.first..stretch.nodes.end() {
            page.node(node, &stretch, out, watch)?;
        }
    }
    out.write_all(&page.buf)?;
    out.write_all(b"\n\n=============================================================\n")
}

/// The lines above the nodes.
fn head(plan: &Plan) -> String {
    let states = &plan.world().states;
    let slots: u64 = plan
        .world()
        .before
        .iter()
        .map(|(nodes, state)| u64::from(nodes.count) * u64::from(states.get(state).slots))
        .sum();
    let table = plan.resolved_apps();
    let policies: Vec<(usize, &Policy)> = plan
        .apps()
        .iter()
        .enumerate()
        .filter_map(|(app, placed)| Some((app, &table.policies[placed.policy()?])))
        .collect();
    let alike = policies
        .windows(2)
        .all(|pair| words(pair[0].1) == words(pair[1].1));
    let mut text = format!(
        "\n========================   JOB MAP   ========================\n\
         Data for JOB {JOB} offset 0 Total slots allocated {slots}\n"
    );
    match policies.first() {
        Some((_, first)) if alike => {
            let [map, rank, bind] = words(first);
            text += &format!(
                "    Mapping policy: {map}  Ranking policy: {rank} Binding policy: {bind}\n"
            );
        }
        Some(_) | None => {
            for (app, policy) in &policies {
                let [map, rank, bind] = words(policy);
                text += &format!(
                    "    App {app}: Mapper: {}  Mapping policy: {map}  Ranking policy: {rank}  Binding policy: {bind}\n",
                    mapper(policy.map)
                );
            }
        }
    }
    text + &cpu_line(policies.first().map(|&(_, policy)| policy), table)
}

fn cpu_line(job: Option<&Policy>, table: &AppTable) -> String {
    let absent = || "N/A".to_owned();
    let list = job
        .and_then(|job| job.list)
        .map_or_else(absent, |list| policy::number_ranges(&table.lists[list]));
    let ppr = job.filter(|job| matches!(job.map, MapBy::Ppr { .. }));
    let ppr = ppr.map_or_else(absent, |job| {
        policy::map(job, table).split_off("ppr:".len())
    });
    let pe = job
        .filter(|job| job.pe > 1)
        .map_or_else(absent, |job| job.pe.to_string());
    let cpu = match job.map_or(CpuMode::Core, |job| job.mode) {
        CpuMode::Core => "CORE",
        CpuMode::Hwthread => "HWT",
    };
    format!("    Cpu set: {list}  PPR: {ppr}  Cpus-per-rank: {pe}  Cpu Type: {cpu}\n")
}

/// Map, rank and bind policy in prterun's words.
fn words(policy: &Policy) -> [String; 3] {
    let word = policy.map.word();
    let own = MAPS.iter().find(|row| row.0 == word);
    let mut map = own.map_or_else(
        || format!("BY{}", word.to_uppercase()),
        |row| row.1.to_owned(),
    );
    if policy.nolocal == NoLocal::Yes {
        map += ":NO_USE_LOCAL";
    }
    map += match policy.oversubscribe {
        Oversubscribe::Refused => ":NOOVERSUBSCRIBE",
        Oversubscribe::Allowed => ":OVERSUBSCRIBE",
    };
    if policy.span == Span::Yes {
        map += ":SPAN";
    }
    if policy.ordered == Ordered::Yes {
        map += ":ORDERED";
    }
    let rank = match policy::rank(policy) {
        "listed" => "BYUSER".to_owned(),
        word => word.to_uppercase(),
    };
    let mut bind = policy::bind(policy).to_uppercase();
    let given_up = policy.strength == BindStrength::Default && policy.bind != BindTo::Nothing;
    if given_up || policy.if_supported == IfSupported::Yes {
        bind += ":IF-SUPPORTED";
    }
    if policy.overload == Overload::Allowed {
        bind += ":OVERLOAD-ALLOWED";
    }
    [map, rank, bind]
}

/// Map policies with a name or a mapper of their own: our word, prterun's word, the mapper.
const MAPS: &[(&str, &str, &str)] = &[
    ("ppr", "PPR", "ppr"),
    ("seq", "SEQUENTIAL", "seq"),
    ("rankfile", "BYUSER", "rank_file"),
    ("lsf", "BYUSER", "lsf"),
    ("pe-list", "PE-LIST", "round_robin"),
    ("mpibind", "MPIBIND", "mpibind"),
];

fn mapper(map: MapBy) -> &'static str {
    let own = MAPS.iter().find(|row| row.0 == map.word());
    own.map_or("round_robin", |row| row.2)
}

struct Page<'p> {
    plan: &'p Plan,
    /// The ranks that are shown; `None`: all.
    some: Option<&'p RoaringBitmap>,
    buf: Vec<u8>,
    names: NodeNames<'p>,
    /// The texts of the cpu sets used so far.
    bound: HashMap<(TopologyId, CpusetId, CpuMode), String>,
    /// What stands behind the processes that are mapped to devices.
    devices: HashMap<OnDevices, String>,
    /// The places of PUs, for the topologies used so far.
    sites: HashMap<(TopologyId, CpuMode), Sites>,
    done: u32,
}

impl Page<'_> {
    fn node(
        &mut self,
        node: u32,
        stretch: &Stretch,
        out: &mut dyn Write,
        watch: &mut dyn Watch,
    ) -> io::Result<()> {
        let shown = self.some.is_none_or(|some| {
            let procs = self.plan.procs_on(NodeId::from_row(node as usize));
            procs.into_iter().any(|proc| some.contains(proc.rank.0))
        });
        if !shown {
            return Ok(());
        }
        let state = self.plan.world().states.get(stretch.state);
        let procs: u32 = stretch.runs.iter().map(|run| run.of(self.plan).procs).sum();
        self.buf.extend_from_slice(b"\n\nData for node: ");
        self.names.push(&mut self.buf, node);
        let max = state.max_slots.unwrap_or(0);
        let counts = format!(
            "\tNum slots: {}\tMax slots: {max}\tNum procs: {procs}",
            state.slots
        );
        self.buf.extend_from_slice(counts.as_bytes());
        for run in &stretch.runs {
            self.run(*run, node, state.topology, out, watch)?;
        }
        Ok(())
    }

    fn run(
        &mut self,
        at: AppRun,
        node: u32,
        topology: TopologyId,
        out: &mut dyn Write,
        watch: &mut dyn Watch,
    ) -> io::Result<()> {
        let plan = self.plan;
        let run = at.of(plan);
        let rank = |local| {
            plan.rank_of(Located {
                app: at.app,
                run: at.row,
                node: node - run.nodes.first,
                local,
            })
        };
        let mut sorted: Vec<u32> = Vec::new();
        match plan.app(at.app).order() {
            RankOrder::Slot | RankOrder::Node => {}
            RankOrder::Fill | RankOrder::Span | RankOrder::Listed(_) => {
                sorted = (0..run.procs).collect();
                sorted.sort_by_cached_key(|&local| rank(local));
            }
        }
        for turn in 0..run.procs {
            let local = sorted.get(turn as usize).copied().unwrap_or(turn);
            if self.some.is_some_and(|some| !some.contains(rank(local).0)) {
                continue;
            }
            let place = plan.patterns().get(run.pattern).place(local);
            self.process(at.app, rank(local).0, topology, place.cpus);
            self.device(at.app, topology, place.object);
            self.done += 1;
            if self.buf.len() >= BLOCK {
                out.write_all(&self.buf)?;
                self.buf.clear();
                watch.at(self.done, plan.ranks())?;
            }
        }
        Ok(())
    }

    /// The devices of a process that is mapped by `device=`.
    fn device(&mut self, app: AppId, topology: TopologyId, object: Option<u32>) {
        let plan = self.plan;
        let policy = plan.app(app).policy();
        let map = policy.map(|id| plan.resolved_apps().policies[id].map);
        let (Some(options), Some(object)) = (map.and_then(MapBy::devices), object) else {
            return;
        };
        let names = self
            .devices
            .entry((topology, options, object))
            .or_insert_with_key(|on| format!(" Device: {}", plan.device_names(*on).join(",")));
        self.buf.extend_from_slice(names.as_bytes());
    }

    fn process(&mut self, app: AppId, rank: u32, topology: TopologyId, cpus: Option<CpusetId>) {
        self.buf.extend_from_slice(b"\n        Process jobid: ");
        self.buf.extend_from_slice(JOB.as_bytes());
        self.buf.extend_from_slice(b" App: ");
        digits::push(&mut self.buf, self.plan.resolved_apps().number(app));
        self.buf.extend_from_slice(b" Process rank: ");
        digits::push(&mut self.buf, rank);
        self.buf.extend_from_slice(b" Bound: ");
        let plan = self.plan;
        let Some(cpus) = cpus else {
            self.buf.extend_from_slice(b"N/A");
            return;
        };
        let policy = plan.app(app).policy();
        let mode = policy.map_or(CpuMode::Core, |id| plan.resolved_apps().policies[id].mode);
        let sites = &mut self.sites;
        let text = self.bound.entry((topology, cpus, mode)).or_insert_with(|| {
            let sites = sites
                .entry((topology, mode))
                .or_insert_with(|| Sites::new(&plan.world().topologies, topology, mode));
            sites.bound(plan.world().cpusets.get(cpus))
        });
        self.buf.extend_from_slice(text.as_bytes());
    }
}
