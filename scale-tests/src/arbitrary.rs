//! Random jobs: clusters, host lists and files, several apps, and every policy with every qualifier, ranking and binding.
//!
//! The directive of the first app is a *cell*: policy × qualifier × ranking × binding. The number of the job chooses the cell, so
//! that all cells are asked for equally often; everything else is drawn. About a third of the jobs can be placed. In one job of six
//! the nodes and apps are alike, so that an app meets what an earlier app left behind, or what the engine remembered of it.

use crate::asks_devices::{devices, gpus};
use crate::catalogue::MACHINES;
use crate::cell::Cell;
use crate::choices::Choices;
use crate::job::{App, Job};
use std::fmt::Write as _;

/// The cluster of a job, while the job is made.
struct Cluster {
    /// Names that exist, in the order of first mention.
    names: Vec<String>,
    /// Names end in consecutive numbers.
    numbered: bool,
    /// A hostfile makes the pool.
    by_file: bool,
    /// Nodes and apps are alike: each node has this many slots, and later apps say nothing of their own.
    alike: Option<u32>,
}

/// The job of this number under a seed.
#[must_use]
pub fn job(seed: u64, number: u64) -> Job {
    let mut choices = Choices::seeded(
        seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15),
    );
    drawn(&mut choices, &Cell::numbered(number))
}

/// The same, on a machine with GPUs, network cards or block devices.
#[must_use]
pub fn job_with_devices(seed: u64, number: u64) -> Job {
    let mut choices = Choices::seeded(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let with: Vec<usize> = (0..MACHINES.len())
        .filter(|&at| MACHINES[at].has_devices())
        .collect();
    let machine = *choices.pick(&with);
    on_machine(&mut choices, &Cell::numbered(number), machine)
}

/// The job of a fuzzer's bytes: the first four choose the cell, the rest decides everything else.
#[must_use]
pub fn job_from_bytes(bytes: &[u8]) -> Job {
    let (cell, rest) = bytes.split_at(bytes.len().min(4));
    let number = cell.iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
    drawn(&mut Choices::from_bytes(rest), &Cell::numbered(number))
}

fn drawn(choices: &mut Choices<'_>, cell: &Cell) -> Job {
    let machine = machine(choices, cell);
    on_machine(choices, cell, machine)
}

fn on_machine(choices: &mut Choices<'_>, cell: &Cell, machine: usize) -> Job {
    let mut job = Job {
        machine,
        ..Job::default()
    };
    let mut cluster = cluster(choices, &mut job);
    let apps = match cluster.alike {
        Some(_) => choices.within(2, 4),
        None => 1 + choices.below(2) * choices.within(1, 2),
    };
    for number in 0..apps {
        let own = if number == 0 {
            *cell
        } else {
            Cell::drawn(choices)
        };
        let app = app(choices, &mut job, &mut cluster, &own, number);
        job.apps.push(app);
    }
    job
}

/// A machine: small ones are more frequent, and most have the objects that the cell maps and binds to.
fn machine(choices: &mut Choices<'_>, cell: &Cell) -> usize {
    let all = u32::try_from(MACHINES.len()).unwrap_or(u32::MAX);
    let bound = if choices.once_in(2) { all } else { all / 2 };
    let first = choices.below(bound) as usize;
    let wanted = [cell.object(), cell.target()];
    let fits = |machine: &usize| {
        wanted
            .iter()
            .flatten()
            .all(|kind| MACHINES[*machine].has(*kind))
    };
    let mut later = (first..MACHINES.len()).chain(0..first);
    later
        .find(fits)
        .filter(|_| !choices.once_in(12))
        .unwrap_or(first)
}

/// Another machine for some nodes.
fn any_machine(choices: &mut Choices<'_>) -> usize {
    let drawn = choices.below(u32::try_from(MACHINES.len()).unwrap_or(u32::MAX)) as usize;
    let mut from = MACHINES[..=drawn].iter();
    from.rposition(|entry| !entry.names_devices()).unwrap_or(0)
}

fn cluster(choices: &mut Choices<'_>, job: &mut Job) -> Cluster {
    let count = *choices.pick(&[2, 1, 3, 2, 4, 3, 5]);
    let numbered = choices.once_in(4);
    let names: Vec<String> = if numbered {
        let more = if choices.once_in(3) { 4 } else { 0 };
        (0..count + more).map(|i| format!("n{}", i + 8)).collect()
    } else {
        ('a'..).take(count).map(String::from).collect()
    };
    let alike = choices
        .once_in(6)
        .then(|| *choices.pick(&[4, 2, 3, 8, 4, 6]));
    if alike.is_none() && choices.once_in(4) {
        let other = any_machine(choices);
        let node = choices.pick(&names).clone();
        job.others.push((node, other));
        if choices.once_in(3) {
            let (node, other) = (choices.pick(&names).clone(), any_machine(choices));
            job.others.push((node, other));
        }
    }
    if choices.once_in(3) {
        job.head = Some(if choices.once_in(4) {
            "away".to_owned()
        } else {
            choices.pick(&names).clone()
        });
    }
    if choices.once_in(16) {
        let list = *choices.pick(&[
            "0-1",
            "0",
            "1-2",
            "0,2",
            "0-3:HWTCPUS",
            "1:HWTCPUS",
            "3",
            "0-2,4",
        ]);
        job.cpu_list = Some(list.to_owned());
    }
    Cluster {
        names,
        numbered,
        by_file: alike.is_none() && choices.once_in(5),
        alike,
    }
}

fn app(
    choices: &mut Choices<'_>,
    job: &mut Job,
    cluster: &mut Cluster,
    cell: &Cell,
    number: u32,
) -> App {
    let mut app = App::default();
    match cluster.alike {
        Some(slots) => app.hosts = own_nodes(choices, cluster, slots, number),
        None => hosts(choices, job, cluster, &mut app, number),
    }
    let alike = cluster.alike.is_some();
    let cpus = match cluster.alike {
        Some(slots) => slots,
        None if choices.once_in(6) => 16,
        None => 6,
    };
    app.np = (!choices.once_in(4)).then(|| choices.within(1, cpus));
    let own_class = |choices: &mut Choices<'_>| number == 0 || !alike && choices.once_in(2);
    if own_class(choices) {
        let file = listing(choices, job, cluster, cell, app.np, number);
        app.map = cell.map_text(choices, file.as_deref(), number);
    }
    if own_class(choices) {
        app.rank = cell.rank_text(choices);
    }
    if own_class(choices) {
        app.bind = cell.bind_text(choices);
    }
    let machine = &MACHINES[job.machine];
    if machine.gpus.is_some() {
        gpus(choices, &mut app, number);
    }
    if machine.has_devices() && choices.once_in(2) {
        devices(choices, &mut app, machine, number);
    }
    app
}

/// The nodes that an app names in a job of alike apps: one, two, or for the first app all. `None`: it continues where the last app ended.
fn own_nodes(
    choices: &mut Choices<'_>,
    cluster: &Cluster,
    slots: u32,
    number: u32,
) -> Option<String> {
    let whole = number == 0 && choices.once_in(2);
    if number > 0 && choices.once_in(3) {
        return None;
    }
    let own = match (whole, choices.once_in(3)) {
        (true, _) => cluster.names.len(),
        (false, true) => 2,
        (false, false) => 1,
    };
    let from = cluster.names.iter().cycle().skip(number as usize);
    let entries = from.take(own).map(|name| format!("{name}:{slots}"));
    Some(entries.collect::<Vec<_>>().join(","))
}

fn hosts(
    choices: &mut Choices<'_>,
    job: &mut Job,
    cluster: &mut Cluster,
    app: &mut App,
    number: u32,
) {
    let first = number == 0;
    if cluster.by_file && (first || choices.once_in(6)) {
        let name = format!("hosts{number}");
        let text = hostfile(choices, cluster);
        job.files.push((name.clone(), text));
        app.hostfile = Some(name);
    }
    let none = match (first, cluster.by_file) {
        (true, true) => !choices.once_in(4),
        (true, false) => choices.once_in(24),
        (false, _) => !choices.once_in(3),
    };
    if !none {
        app.hosts = Some(host_list(choices, cluster, number));
    }
}

fn count(choices: &mut Choices<'_>) -> u32 {
    *choices.pick(&[4, 2, 3, 1, 8, 2, 4, 6, 0, 3, 12, 5])
}

fn host_list(choices: &mut Choices<'_>, cluster: &Cluster, number: u32) -> String {
    let mut entries: Vec<String> = Vec::new();
    let whole = number == 0 && !cluster.by_file;
    let mut names = cluster.names.clone();
    if choices.once_in(6) {
        names.reverse();
    }
    if cluster.numbered && choices.once_in(2) {
        let all = ranges(choices, cluster);
        let from = usize::from(!whole && all.len() > 1);
        names = all[from..].to_vec();
    }
    for name in &names {
        if !whole && choices.once_in(2) {
            continue;
        }
        let digits = name.trim_start_matches('n');
        let cut = digits.len() < name.len() && !digits.starts_with('[');
        let named = if number > 0 && cut && choices.once_in(6) {
            digits
        } else {
            name
        };
        entries.push(match choices.below(10) {
            0..=6 => format!("{named}:{}", count(choices)),
            7 => named.to_owned(),
            8 => format!("{named}:*"),
            _ => format!("{named}:{},{named}:{}", count(choices), count(choices)),
        });
    }
    if number > 0 && choices.once_in(4) {
        let relative = match choices.below(4) {
            0 => format!("+n{}", choices.below(4)),
            1 => "+e".to_owned(),
            2 => format!("+e:{}", choices.below(3)),
            _ => format!("+n{}", choices.below(2)),
        };
        let at = choices.below(u32::try_from(entries.len() + 1).unwrap_or(1)) as usize;
        entries.insert(at, relative);
    }
    if choices.once_in(40) {
        entries.push((*choices.pick(&["z:2", "b:x", "n[8-9]:2", "+q", "a:+3", "9"])).to_owned());
    }
    if entries.is_empty() {
        entries.push(format!("{}:{}", names[0], count(choices)));
    }
    entries.join(",")
}

/// Ranges of a cluster with numbered nodes. The first has all nodes; the others may overlap.
fn ranges(choices: &mut Choices<'_>, cluster: &Cluster) -> Vec<String> {
    let end = u32::try_from(cluster.names.len()).unwrap_or(u32::MAX) - 1;
    let all = |first: u32, last: u32| format!("n[{}-{}]", first + 8, last + 8);
    let mut ranges = vec![all(0, end)];
    for _ in 0..choices.below(3) {
        let first = choices.within(0, end);
        ranges.push(all(first, choices.within(first, end)));
    }
    ranges
}

fn hostfile(choices: &mut Choices<'_>, cluster: &Cluster) -> String {
    let mut text = String::new();
    for name in &cluster.names {
        let _ = match choices.below(9) {
            0 | 1 => writeln!(text, "{name} slots={}", count(choices)),
            2 => writeln!(text, "{name}"),
            3 => writeln!(text, "{name}\n{name}"),
            4 => writeln!(text, "{name} max_slots={}", count(choices).max(1)),
            5 | 6 => {
                let slots = count(choices);
                writeln!(
                    text,
                    "{name} slots={slots} max_slots={}",
                    slots + choices.below(4)
                )
            }
            7 => writeln!(text, "{name} slots={}\n{name}", count(choices)),
            _ => writeln!(text, "rank 0={name}"),
        };
    }
    if choices.once_in(12) {
        let _ = writeln!(text, "^{}", choices.pick(&cluster.names));
    }
    if choices.once_in(40) {
        let _ = writeln!(
            text,
            "{}",
            choices.pick(&["a slots=2", "b max_slots=1", "+n1", "c slot=2"])
        );
    }
    text
}

/// Makes the file of a policy that reads one, and gives its name.
fn listing(
    choices: &mut Choices<'_>,
    job: &mut Job,
    cluster: &Cluster,
    cell: &Cell,
    np: Option<u32>,
    number: u32,
) -> Option<String> {
    let ranked = cell.reads_ranks();
    if !ranked && (!cell.reads_sequence() || choices.once_in(3)) {
        return None;
    }
    let entries = if choices.once_in(6) {
        choices.within(1, 6)
    } else {
        np.unwrap_or(4) + choices.below(2)
    };
    let mut text = String::new();
    for rank in 0..entries.min(12) {
        let name = if choices.once_in(30) {
            "z"
        } else {
            choices.pick(&cluster.names).as_str()
        };
        if ranked {
            let skipped = u32::from(choices.once_in(40));
            let _ = write!(text, "rank {}=", rank + skipped);
            let _ = if choices.once_in(8) {
                write!(text, "+n{}", choices.below(3))
            } else {
                write!(text, "{name}")
            };
            let _ = if choices.once_in(5) {
                writeln!(text)
            } else {
                writeln!(text, " slot={}", slot_list(choices, rank))
            };
        } else {
            let _ = if choices.once_in(2) {
                writeln!(text, "{name} {}", slot_list(choices, rank))
            } else {
                writeln!(text, "{name}")
            };
        }
    }
    let name = if ranked {
        format!("ranks{number}")
    } else {
        format!("seq{number}")
    };
    job.files.push((name.clone(), text));
    Some(name)
}

fn slot_list(choices: &mut Choices<'_>, rank: u32) -> String {
    match choices.below(14) {
        0..=5 => rank.to_string(),
        6 => choices.below(8).to_string(),
        7 => format!("{rank}-{}", rank + 1),
        8 => format!("{}:{}", choices.below(2), choices.below(3)),
        9 => format!("0:{};1:{}", choices.below(2), choices.below(2)),
        10 => format!("{}:*", choices.below(2)),
        11 => format!("p{}", choices.below(2)),
        12 => "p*".to_owned(),
        _ => format!("{}:0-1", choices.below(2)),
    }
}
