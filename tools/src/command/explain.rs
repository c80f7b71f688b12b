//! `stowplan explain`: why a rank, a node or a cpu has what it has; for a refused job, which jobs would fit.

use super::diff::with_network;
use super::explain_threads::{self, placed};
use super::given::{Given, misplaced, missing};
use super::saved::Saved;
use super::subcommand::{Behind, Many, Once, One, Subcommand, own, subcommand};
use crate::Console;
use crate::files_read::Recorded;
use crate::format::{Told, text};
use crate::output::Kept;
use crate::report::{Refused, told};
use roaring::RoaringBitmap;
use serde_json::json;
use stowplan::answers::explain::instead::Alternatives;
use stowplan::answers::explain::refused::explain_refused;
use stowplan::answers::explain::{RANKS_MAX, explain};
use stowplan::answers::json_text;
use stowplan::answers::select::{nodes, numbers};
use stowplan::job::args::{Format, JobArgs};
use stowplan::job::error::one_line;
use stowplan::job::options::Meaning;
use stowplan::score::network::OnNetwork;
use stowplan_engine::count::Rank;
use stowplan_engine::count::counted;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;
use stowplan_engine::stage::resolve::Files as _;
use stowplan_engine::table::names::NodeId;
use stowplan_engine::text::cursor::whole_ranges;

#[rustfmt::skip]
pub(crate) const COMMAND: Subcommand = Subcommand {
    options: &[
        own(&["node"], One, "HOSTS", Many, "the ranks on these nodes"),
        own(&["cpus"], One, "LIST", Once, "the ranks bound to one of these cpus (OS numbers)"),
        own(&["format"], One, "F", Many, "text, or json or ndjson: a line a rank [default: text]"),
    ],
    of_job: &[Meaning::Output, Meaning::Network, Meaning::NetworkLevels],
    behind: Behind::Jobs,
    examples: &[
        ("stowplan explain 3 job.plan", "why is rank 3 there"),
        ("stowplan explain --node b --cpus 2 job.plan", "who is bound to cpu 2 of node b, and why"),
        ("stowplan explain 0 -- --topo 'core:8 pu:1' -H a,b -n 16 ./app", "why the job is refused, and the nearest jobs that are not"),
    ],
    ..subcommand("explain", "RANK[,RANK...] (PLAN | -- job...), or --node N, --cpus LIST in place of ranks", "Why a rank is where it is, and what would move it; for a refused job, what would fit", |args, console| answer(args, console).map(|()| 0))
};

/// The formats.
const FORMATS: &[(&str, Format)] = &[
    ("text", Format::Text),
    ("json", Format::Json),
    ("ndjson", Format::Ndjson),
];

/// The subject of the question: ranks, the processes of nodes, or the processes bound to cpus.
struct Asked<'r> {
    ranks: Option<String>,
    cpus: Option<String>,
    options: JobArgs,
    read: &'r Recorded<'r>,
}

impl Asked<'_> {
    fn kept(&self) -> Kept<'_> {
        Kept {
            options: &self.options,
            read: self.read,
        }
    }
}

/// The answer to the arguments after `explain`.
///
/// # Errors
/// Those of the words and of the job.
pub(crate) fn answer(args: &[String], console: &mut Console<'_>) -> Result<(), Refused> {
    let given = Given::read(&COMMAND, args)?;
    let mut options = given.job()?;
    options.format = given.choice("format", FORMATS)?;
    options.parts.node = given.value("node").map(str::to_owned);
    let (mut words, job) = (given.words.clone(), given.behind);
    let cpus = given.value("cpus").map(str::to_owned);
    let by_place = cpus.is_some() || options.parts.node.is_some();
    let ranks = if by_place {
        None
    } else if words.is_empty() {
        return Err(missing(&COMMAND, "RANK"));
    } else {
        Some(words.remove(0).clone())
    };
    let read = Recorded::new(console.files);
    let files = &read;
    let asked = Asked {
        ranks,
        cpus,
        options,
        read: files,
    };
    let threads = match &asked.ranks {
        Some(list) => explain_threads::asked(list)?,
        None => None,
    };
    match (words.as_slice(), job) {
        ([], Some(job)) if threads.is_some() => {
            let all = threads.as_deref().unwrap_or_default();
            let words = with_network(&asked.options, job);
            explain_threads::of_job(&words, all, asked.kept(), console)
        }
        ([path], None) if threads.is_some() => {
            let all = threads.as_deref().unwrap_or_default();
            let saved = Saved::read(path, files)?;
            explain_threads::of_plan(&saved, all, asked.kept(), console)
        }
        ([], Some(job)) => of_job(&with_network(&asked.options, job), &asked, console),
        ([path], None) => {
            let mut saved = Saved::read(path, files)?;
            saved.on_network(&asked.options, files)?;
            let chosen = chosen(&saved.plan, &asked)?;
            let others = Alternatives::of_plan(&saved.plan);
            tell(&saved.told(), &chosen, &others, &asked, console)
        }
        ([more, ..], Some(_)) | ([_, more, ..], None) => Err(misplaced(more)),
        ([], None) => Err(without_plan(&asked, files)),
    }
}

/// The refusal where no plan and no job is named: the only word may be a plan, for which no rank is named.
fn without_plan(asked: &Asked<'_>, files: &Recorded<'_>) -> Refused {
    match &asked.ranks {
        Some(word) if files.is_plan(word) => told(
            "bad-option",
            format!(
                "{word} is a saved plan, and a rank goes before it: stowplan explain RANK {word}"
            ),
        ),
        Some(_) | None => missing(&COMMAND, "PLAN"),
    }
}

fn of_job(words: &[String], asked: &Asked<'_>, console: &mut Console<'_>) -> Result<(), Refused> {
    let files = asked.read;
    let planning = move |words: &[String]| Ok(placed(words, files)?.mapped.plan);
    match placed(words, files) {
        Ok(placement) => {
            let plan = &placement.mapped.plan;
            let chosen = chosen(plan, asked)?;
            let others = Alternatives::of_job(words, plan, Box::new(planning));
            let shown = Told {
                plan,
                sources: &placement.sources,
                notes: &[],
            };
            tell(&shown, &chosen, &others, asked, console)
        }
        Err(error) => {
            let Some(answer) = explain_refused(words, &error, &planning) else {
                return Err(error.into());
            };
            asked.kept().give(console.out, |out| {
                if asked
                    .options
                    .format
                    .is_some_and(|format| format != Format::Text)
                {
                    json_text::write(&mut *out, &answer)?;
                    return out.write_all(b"\n");
                }
                let page = answer.page();
                page.iter()
                    .try_for_each(|line| writeln!(out, "{}", one_line(line)))
            })
        }
    }
}

/// The ranks to explain, and the nodes that have none.
struct Chosen {
    ranks: RoaringBitmap,
    idle: Vec<NodeId>,
}

fn chosen(plan: &Plan, asked: &Asked<'_>) -> Result<Chosen, Refused> {
    let mut idle = Vec::new();
    let mut ranks = match &asked.ranks {
        Some(list) => numbers("RANK", list, plan.ranks(), "ranks")?,
        None => RoaringBitmap::new(),
    };
    if let Some(list) = &asked.options.parts.node {
        for range in nodes(plan, list)? {
            for node in (range.first..range.end()).map(|node| NodeId::from_row(node as usize)) {
                let before = ranks.len();
                ranks.extend(plan.procs_on(node).map(|proc| proc.rank.0));
                if ranks.len() == before {
                    idle.push(node);
                }
            }
        }
    }
    if let Some(list) = &asked.cpus {
        let bad = |why: &str| told("bad-value", format!("--cpus {list}: {why}"));
        let ranges =
            whole_ranges(list).ok_or_else(|| bad("expected a list of OS numbers such as 0-3,7"))?;
        let mut wanted = RoaringBitmap::new();
        for (first, last) in ranges {
            wanted.insert_range(first..=last);
        }
        let sets = plan.world().cpusets.iter();
        let hit: Vec<bool> = sets.map(|(_, set)| !set.is_disjoint(&wanted)).collect();
        let is_hit = |rank: u32| {
            let cpus = plan.place(Rank(rank)).and_then(|place| place.cpus);
            cpus.is_some_and(|set| hit[set.row()])
        };
        ranks = match asked.options.parts.node {
            Some(_) => ranks.iter().filter(|&rank| is_hit(rank)).collect(),
            None => (0..plan.ranks()).filter(|&rank| is_hit(rank)).collect(),
        };
        if ranks.is_empty() {
            return Err(bad("no process is bound to one of them"));
        }
    }
    if ranks.len() > RANKS_MAX {
        return Err(told(
            "bad-value",
            format!(
                "{} ranks are asked of, at most {RANKS_MAX} are explained at once: name some, or a node",
                ranks.len()
            ),
        ));
    }
    Ok(Chosen { ranks, idle })
}

fn tell(
    told: &Told<'_>,
    chosen: &Chosen,
    others: &Alternatives<'_>,
    asked: &Asked<'_>,
    console: &mut Console<'_>,
) -> Result<(), Refused> {
    let plan = told.plan;
    let json = asked
        .options
        .format
        .is_some_and(|format| format != Format::Text);
    asked.kept().give(console.out, |out| {
        for node in &chosen.idle {
            let (name, why) = idle(plan, *node);
            if json {
                writeln!(
                    out,
                    "{}",
                    json_text::text(&json!({"node": name, "ranks": [], "why": [why]}))
                )?;
            } else {
                writeln!(
                    out,
                    "node {name}  no process of the job\n  {}",
                    one_line(&why)
                )?;
            }
        }
        for rank in &chosen.ranks {
            let Some(mut why) = explain(plan, Rank(rank), others) else {
                continue;
            };
            why.why.splice(0..0, rules(told));
            if json {
                json_text::write(&mut *out, &why)?;
                out.write_all(b"\n")?;
            } else {
                why.page()
                    .iter()
                    .try_for_each(|line| writeln!(out, "{}", one_line(line)))?;
                if let Some(on) = &told.sources.network
                    && let Some(place) = plan.place(Rank(rank))
                {
                    writeln!(out, "  {}", objects_of(on, plan, place.node))?;
                }
            }
        }
        if json {
            return Ok(());
        }
        let machines = text::machines(told);
        machines
            .iter()
            .try_for_each(|line| writeln!(out, "{}", one_line(line)))
    })
}

/// The objects of the network that a node is in, from the lowest up.
pub(super) fn objects_of(on: &OnNetwork, plan: &Plan, node: NodeId) -> String {
    let row = u32::try_from(node.row()).unwrap_or(u32::MAX);
    let objects = on.objects(row).into_iter().rev();
    let objects: Vec<String> = objects
        .map(|(level, name)| format!("{level} {}", one_line(name)))
        .collect();
    format!(
        "node {} is in {}",
        plan.world().names.name(node),
        objects.join(", ")
    )
}

/// By whose rules a launcher's line was placed, and what these derived.
fn rules(told: &Told<'_>) -> Vec<String> {
    let Some(launched) = &told.sources.launched else {
        return Vec::new();
    };
    let derived = launched.derived.iter();
    let derived = derived.map(|derived| format!("{}: {}", derived.what, derived.origin));
    std::iter::once(format!("read as {}", launched.phrase()))
        .chain(derived)
        .collect()
}

/// Why a node has no process.
fn idle(plan: &Plan, node: NodeId) -> (String, String) {
    let world = plan.world();
    let state = world.states.get(world.before.state(node));
    let placed = plan.ranks();
    let why = match state.left() {
        0 => format!(
            "it has no free slot: {}, {} taken before the job",
            counted(state.slots, "slot"),
            state.used
        ),
        left => {
            let ranks = match placed {
                1 => "the only rank of the job is".to_owned(),
                placed => format!("all {placed} ranks of the job are"),
            };
            let slots = match left {
                1 => "slot is",
                _ => "slots are",
            };
            format!("{ranks} placed on other nodes, its {left} free {slots} left")
        }
    };
    (world.names.name(node), why)
}
