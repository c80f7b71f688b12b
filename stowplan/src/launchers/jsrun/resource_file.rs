//! An explicit resource file: a line for each rank. Source: `lines/jsrun/spec.md` 2 (`-U`), `launchers.md` 2.

use super::words::Means;
use crate::launchers::cpus::{ranges, read_list};
use crate::launchers::line::table::{Part, Said};
use crate::launchers::line::usable::UsableNodes;
use crate::launchers::line::{
    Allocation, Derived, Laid, LaidApp, LaidProcs, LaidRun, LineAsked, LineRefused,
};
use roaring::RoaringBitmap;
use std::collections::{BTreeMap, HashMap};
use stowplan_engine::count::counted;
use stowplan_engine::id::Id as _;
use stowplan_engine::limit::{GPUS_MAX, PATTERN_RUNS_MAX, PUS_MAX, RANKS_MAX};
use stowplan_engine::plan::{ListedRun, RankOrder};
use stowplan_engine::table::names::NodeRange;
use stowplan_engine::text::hostlist::plain;

/// A rank of the file.
struct Rank<'t> {
    host: &'t str,
    cpus: RoaringBitmap,
    gpus: Option<RoaringBitmap>,
}

/// What a file says.
struct Told<'t> {
    /// In the order of ranks.
    ranks: Vec<Rank<'t>>,
    /// `overlapping_rs: allow`.
    overlaps: bool,
    /// Whether a rank has GPUs: then the others have none.
    gpus: bool,
}

/// Why a line of a file is refused: the class, and the reason.
type Why = (&'static str, String);

/// Places rank by rank.
///
/// # Errors
/// `launcher-refuses` for a file that is not there, ranks that are missing, hosts and cpus that the job has not; `not-modelled` for
/// lines that are not known here, and for other words about resource sets.
///
/// Cost: the lines of the file.
pub(super) fn lay(
    asked: &LineAsked<'_>,
    line: &Part<Means>,
    said: &Said<Means>,
) -> Result<Laid, LineRefused> {
    let beside = line
        .said
        .iter()
        .find(|other| !matches!(other.means, Means::Harmless | Means::Resources));
    if let Some(other) = beside {
        let why = "what it does beside a resource file is not known here";
        return Err(other.refused(asked, "not-modelled", why));
    }
    let refused = |(class, why): Why| said.refused(asked, class, &why);
    let bytes = asked.files.read(&said.value);
    let bytes = bytes.map_err(|why| refused(("launcher-refuses", why)))?;
    let text = String::from_utf8_lossy(&bytes);
    let told = read(&text).map_err(refused)?;
    let mut known = HashMap::new();
    let hosts = told.ranks.iter().map(|rank| rank.host);
    let first = hosts.filter(|host| known.insert(*host, ()).is_none());
    let ranges = asked.our_names();
    let ranges = ranges.unwrap_or_else(|| first.map(plain).collect());
    let nodes = UsableNodes::of(asked, Allocation::of(&ranges, asked.hardware)?)?;
    let by_node = by_node(&told, &nodes).map_err(refused)?;
    laid(line, nodes, &told, by_node).map_err(refused)
}

/// Reads the lines. Cost: linear.
fn read(text: &str) -> Result<Told<'_>, Why> {
    let unknown = |at: usize| {
        (
            "not-modelled",
            format!("what line {at} says is not known here"),
        )
    };
    let mut told = Told {
        ranks: Vec::new(),
        overlaps: false,
        gpus: false,
    };
    for (at, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        let Some((word, rest)) = line.split_once(':') else {
            match line.is_empty() {
                true => continue,
                false => return Err(("launcher-refuses", format!("line {at} has no `:`"))),
            }
        };
        match (word.trim(), rest.trim()) {
            ("cpu_index_using", "physical") => {}
            ("overlapping_rs", "allow") => told.overlaps = true,
            ("rank", rest) => {
                let (number, rank) = rank(rest).ok_or_else(|| unknown(at))?;
                if told.ranks.len() != number as usize || number >= RANKS_MAX {
                    return Err((
                        "not-modelled",
                        format!("line {at}: ranks are known here only one by one from 0"),
                    ));
                }
                told.gpus |= rank.gpus.is_some();
                told.ranks.push(rank);
            }
            (_, _) => return Err(unknown(at)),
        }
    }
    match told.ranks.is_empty() {
        true => Err(("launcher-refuses", "it names no rank".to_owned())),
        false => Ok(told),
    }
}

/// `3: { hostname: a; cpu: {0-3,8}; gpu: {1} } : app 0`, of the program that the line names.
fn rank(text: &str) -> Option<(u32, Rank<'_>)> {
    let (number, rest) = text.split_once(':')?;
    let inside = rest.trim().strip_prefix('{')?;
    let (inside, app) = inside.rsplit_once('}')?;
    if app.trim() != ": app 0" {
        return None;
    }
    let (mut host, mut cpus, mut gpus) = (None, None, None);
    for part in inside.split(';') {
        let (word, value) = part.split_once(':')?;
        let value = value.trim();
        let list = |most: u32| read_list(value.strip_prefix('{')?.strip_suffix('}')?, most);
        match word.trim() {
            "hostname" => host = Some(value),
            "cpu" => cpus = Some(list(PUS_MAX - 1)?),
            "gpu" => gpus = Some(list(GPUS_MAX - 1)?),
            _ => return None,
        }
    }
    let rank = Rank {
        host: host.filter(|host| !host.is_empty())?,
        cpus: cpus.filter(|cpus| !cpus.is_empty())?,
        gpus,
    };
    Some((number.trim().parse().ok()?, rank))
}

/// The ranks of each node, ascending, after the checks of hosts and cpus.
fn by_node(told: &Told<'_>, nodes: &UsableNodes) -> Result<BTreeMap<u32, Vec<u32>>, Why> {
    let refuses = |why: String| ("launcher-refuses", why);
    let mut by_node: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut taken: HashMap<u32, RoaringBitmap> = HashMap::new();
    for (number, rank) in (0_u32..).zip(&told.ranks) {
        let host = rank.host;
        let node = nodes.names.find_name(host);
        let node = node.and_then(|node| u32::try_from(node.row()).ok());
        let node = node.ok_or_else(|| refuses(format!("the job has no node {host}")))?;
        let at = nodes.runs.partition_point(|(run, _)| run.end() <= node);
        let usable = nodes.runs.get(at).map(|&(_, kind)| &nodes.kinds[kind].cpus);
        let lacking = usable.and_then(|usable| (&rank.cpus - usable).min());
        if let Some(cpu) = lacking {
            return Err(refuses(format!(
                "rank {number}: {host} has no cpu {cpu} for the job"
            )));
        }
        let taken = taken.entry(node).or_default();
        if !told.overlaps && !taken.is_disjoint(&rank.cpus) {
            let why = format!(
                "rank {number} has cpus of another on {host}, and overlapping_rs: allow is not said"
            );
            return Err(refuses(why));
        }
        *taken |= &rank.cpus;
        by_node.entry(node).or_default().push(number);
    }
    Ok(by_node)
}

fn laid(
    line: &Part<Means>,
    nodes: UsableNodes,
    told: &Told<'_>,
    by_node: BTreeMap<u32, Vec<u32>>,
) -> Result<Laid, Why> {
    let (mut patterns, mut known) = (Vec::new(), HashMap::new());
    let (mut runs, mut slots, mut listed): (Vec<LaidRun>, Vec<_>, Vec<ListedRun>) =
        Default::default();
    for (&node, ranks) in &by_node {
        let procs = procs(told, ranks)?;
        let pattern = *known.entry(key(&procs)).or_insert_with(|| {
            patterns.push(procs);
            patterns.len() - 1
        });
        let nodes = NodeRange::until(node, node + 1);
        LaidRun::add(&mut runs, nodes, pattern);
        slots.push((nodes, u32::try_from(ranks.len()).unwrap_or(u32::MAX)));
        for (local, &rank) in (0..).zip(ranks) {
            if local == 0 || ranks[local as usize - 1] + 1 != rank {
                listed.push(ListedRun { rank, node, local });
            }
        }
    }
    listed.sort_by_key(|run| run.rank);
    let in_turn = listed.len() == by_node.len() && listed.is_sorted_by_key(|run| run.node);
    if !in_turn && listed.len() > PATTERN_RUNS_MAX {
        return Err((
            "not-modelled",
            "so many turns of ranks are not known here".to_owned(),
        ));
    }
    let count = told.ranks.len() as u64;
    Ok(Laid {
        version: "any".to_owned(),
        derived: vec![Derived {
            what: format!("{}, one by one", counted(count, "rank")),
            origin: "--erf_input".to_owned(),
        }],
        notes: Vec::new(),
        slots,
        names: nodes.names,
        patterns,
        apps: vec![LaidApp {
            number: 0,
            program: line.program.clone(),
            runs,
            order: match in_turn {
                true => RankOrder::Slot,
                false => RankOrder::Listed(listed),
            },
        }],
    })
}

/// What the ranks of a node get.
fn procs(told: &Told<'_>, ranks: &[u32]) -> Result<Vec<LaidProcs>, Why> {
    if ranks.len() > PATTERN_RUNS_MAX {
        return Err((
            "not-modelled",
            "so many ranks of a node are not known here".to_owned(),
        ));
    }
    let mut procs: Vec<LaidProcs> = Vec::new();
    for &rank in ranks {
        let own = &told.ranks[rank as usize];
        let gpus = told.gpus.then(|| own.gpus.iter().flatten().collect());
        LaidProcs::add(&mut procs, 1, Some(own.cpus.clone()), gpus);
    }
    Ok(procs)
}

/// The same as text: equal for nodes whose ranks get the same.
fn key(procs: &[LaidProcs]) -> String {
    let of = |own: &LaidProcs| {
        let cpus = own.cpus.as_ref().map(|cpus| ranges(cpus, ','));
        format!("{} {cpus:?} {:?};", own.count, own.gpus)
    };
    procs.iter().map(of).collect()
}
