//! MPICH's Hydra: slots of hosts that are dealt round by round, else a rank map, and cpus for all nodes or for each node.

use super::variables::OfApp;
use super::{comment, fits, lists, programs_of_line, whole};
use crate::launchers::job::{Job, Unsaid};
use crate::launchers::lists::CpuList;
use crate::launchers::script::{File, Script, Signs, Word};
use std::fmt::Write as _;
use stowplan_engine::count::counted;
use stowplan_engine::taskmap::Block;

/// A line of the host file must have fewer bytes.
const LINE_BYTES_MAX: usize = 16 * 1024;
/// A rank map must have fewer bytes.
const MAP_BYTES_MAX: usize = crate::launchers::script::WORD_BYTES_MAX;

/// Where the cpus are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cpus {
    /// In one list for all nodes.
    OfAll,
    /// After each host.
    OfEach,
}

pub(crate) fn export<'p>(job: &'p Job<'p>) -> Result<Script<'p>, Unsaid> {
    job.all_named()?;
    super::no_gpus(job)?;
    job.words_stand()?;
    let mut words = vec![Word::plain("-f"), Word::path("hosts")];
    let mut trusts = "that MPICH is 3.4 or newer";
    let slots = match dealt_by_slots(job) {
        Some(slots) => slots,
        None => {
            trusts =
                "that MPICH is 5.0.2 or newer: older ones take the rank map and use other nodes";
            words.push(Word::plain("-rankmap"));
            words.push(fits(rank_map(job)?, "the rank map")?);
            ranks_of_each(job)
        }
    };
    stay_apart(job, &slots)?;
    let cpus = match bind(job) {
        Ok(bind) => {
            words.extend([Word::plain("-bind-to"), bind]);
            Cpus::OfAll
        }
        Err(_) => {
            lines_fit(job)?;
            Cpus::OfEach
        }
    };
    // MPICH 3.4 reads the first number of a range.
    if trusts.contains("3.4") && has_ranges(job) {
        trusts = "that MPICH is 4.0 or newer";
    }
    words.extend(programs_of_line(job, OfApp::Env));
    Ok(Script {
        comment: comment("hydra", job, "their order and cpus", trusts),
        launcher: "mpiexec.hydra",
        words,
        files: vec![hosts(job, slots, cpus)],
        ..Script::default()
    })
}

/// The word for cpus: one list for all nodes.
fn bind(job: &Job<'_>) -> Result<Word, Unsaid> {
    if job.lists.rows.is_empty() {
        return Ok(Word::plain("none"));
    }
    // The whole list is written, because ranks beyond its end would stay unbound.
    let list = whole(super::common(job)?);
    let text = format!("user:{}", lists(job, &list, '+', ","));
    fits(text, "the list of cpus")
}

/// Whether a list of cpus has a range.
fn has_ranges(job: &Job<'_>) -> bool {
    let ranges = |list: &CpuList| lists(job, &whole(list), '+', ",").contains('-');
    job.lists.rows.iter().any(ranges)
}

/// The hosts in order, each with its slots.
pub(super) type Slots = Vec<(u32, u32)>;

/// Hosts and slots with which Hydra's rounds give the plan: nodes in the order of their first rank, each with as many slots as its
/// first ranks in a row; `None`: they do not.
///
/// Cost: the runs of ranks.
pub(super) fn dealt_by_slots(job: &Job<'_>) -> Option<Slots> {
    let mut slots = Slots::new();
    let mut met = vec![false; job.nodes.len() as usize];
    let mut turns = 0_usize;
    // Whether a turn was cut short: that is the last one.
    let mut ended = false;
    let each = job.runs(&mut |node, count| {
        if ended {
            return Err(());
        }
        let first = !std::mem::replace(&mut met[node as usize], true);
        if first && turns == slots.len() {
            slots.push((node, count));
        } else {
            let (own, slots) = *slots.get(turns % slots.len()).ok_or(())?;
            if first || own != node || count > slots {
                return Err(());
            }
            ended = count < slots;
        }
        turns += 1;
        Ok(())
    });
    each.ok().map(|()| slots)
}

/// Checks that two nodes of one name do not stand side by side: they would be one.
fn stay_apart(job: &Job<'_>, slots: &Slots) -> Result<(), Unsaid> {
    if job.nodes.name_twice().is_none() {
        return Ok(());
    }
    let name = |host: &(u32, u32)| job.nodes.name(host.0);
    match slots.windows(2).find(|two| name(&two[0]) == name(&two[1])) {
        None => Ok(()),
        Some(two) => Err(Unsaid(format!(
            "{} is listed twice, as two nodes with nothing between them, and Hydra makes one node of these",
            name(&two[0])
        ))),
    }
}

/// The hosts in the plan's order, each with as many slots as it has ranks.
fn ranks_of_each(job: &Job<'_>) -> Slots {
    let ranks = |node: u32| (node, job.lists.group(node).ranks);
    (0..job.nodes.len()).map(ranks).collect()
}

/// The line of a host, with its own cpus.
fn line(job: &Job<'_>, number: u32, slots: u32) -> String {
    let name = job.nodes.name(number);
    match job.lists.group(number).list {
        None => format!("{name}:{slots}"),
        Some(row) => {
            let list = whole(&job.lists.rows[row]);
            format!(
                "{name}:{slots} binding=user:{}",
                lists(job, &list, '+', ",")
            )
        }
    }
}

fn lines_fit(job: &Job<'_>) -> Result<(), Unsaid> {
    for group in &job.lists.groups {
        let bytes = line(job, group.first, group.ranks).len();
        if bytes >= LINE_BYTES_MAX {
            return Err(Unsaid(format!(
                "the cpus of node {} take a line of {bytes} bytes in the host file, which must have fewer than {LINE_BYTES_MAX}",
                job.nodes.name(group.first)
            )));
        }
    }
    Ok(())
}

fn hosts<'p>(job: &'p Job<'p>, slots: Slots, cpus: Cpus) -> File<'p> {
    File {
        name: "hosts",
        body: Box::new(move |out| {
            for &(node, slots) in &slots {
                match cpus {
                    Cpus::OfEach => writeln!(out, "{}", line(job, node, slots))?,
                    Cpus::OfAll => writeln!(out, "{}:{slots}", job.nodes.name(node))?,
                }
            }
            Ok(())
        }),
        signs: Signs::Shown,
    }
}

/// The node of each rank, block by block: `0,1,1,0`, `(0,16384,64)` or `[(0,4096,1)]x256`, whichever is shortest.
fn rank_map(job: &Job<'_>) -> Result<String, Unsaid> {
    let too_long = || {
        Unsaid(format!(
            "the rank map of {} on {} takes more than {MAP_BYTES_MAX} bytes, and one word may have fewer",
            counted(job.ranks(), "rank"),
            counted(job.nodes.len(), "node")
        ))
    };
    let map = job.map.as_ref().ok_or_else(too_long)?;
    let blocks = map.fewest_blocks();
    // Hydra repeats a second bracket once too often, so only one block gets a bracket: the one that it shortens most.
    let saved = |block: &Block| u64::from(block.repeat - 1) * items(block).len() as u64;
    let bracket = (0..blocks.len()).filter_map(|at| Some((at, blocks.get(at)?)));
    let bracket = bracket
        .filter(|(_, block)| block.repeat > 1)
        .max_by_key(|(at, block)| (saved(block), usize::MAX - at));
    let bracket = bracket.map(|(at, _)| at);
    let mut text = String::new();
    for (at, block) in blocks.iter().enumerate() {
        let round = items(&block);
        let times = if bracket == Some(at) { 1 } else { block.repeat };
        for _ in 0..times {
            if !text.is_empty() {
                text.push(',');
            }
            let written = format!("[{round}]x{}", block.repeat);
            let all = (u64::from(block.repeat)) * (round.len() as u64 + 1) - 1;
            if bracket == Some(at) && (written.len() as u64) < all {
                text += &written;
            } else if bracket == Some(at) {
                text += &vec![round.as_str(); block.repeat as usize].join(",");
            } else {
                text += &round;
            }
            if text.len() >= MAP_BYTES_MAX {
                return Err(too_long());
            }
        }
    }
    Ok(text)
}

/// One round of a block, as it is written.
pub fn items(block: &Block) -> String {
    let triple = format!("({},{},{})", block.first, block.nodes, block.ppn);
    let ranks = u64::from(block.nodes) * u64::from(block.ppn);
    if ranks * 2 > triple.len() as u64 + 1 {
        return triple;
    }
    let mut plain = String::new();
    for node in block.first..block.first + block.nodes {
        for _ in 0..block.ppn {
            if !plain.is_empty() {
                plain.push(',');
            }
            write!(plain, "{node}").expect("a String takes it");
        }
    }
    if plain.len() <= triple.len() {
        plain
    } else {
        triple
    }
}
