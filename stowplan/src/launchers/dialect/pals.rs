//! HPE Cray PALS: ranks by block over the hosts as written, one list of cpus; any other order through Cray MPICH's file of
//! ranks.

use super::variables::{self, OfApp};
use super::{
    comment, common, common_gpus, gpu_lists, lists, masks, program, rank_order, says, whole,
};
use crate::launchers::gpus;
use crate::launchers::job::{Job, Program, Unsaid};
use crate::launchers::script::{File, Script, Signs, Variable, WORD_BYTES_MAX, Word};
use stowplan_engine::count::counted;
use stowplan_engine::table::gpus::GpuFamily;

/// The hosts of one app, in rank order, and the number of ranks on each; the last may have fewer.
struct Blocks {
    hosts: Vec<u32>,
    ppn: u32,
}

pub(crate) fn export<'p>(job: &'p Job<'p>) -> Result<Script<'p>, Unsaid> {
    job.all_named()?;
    job.words_stand()?;
    let bind = bind(job)?;
    let gpu_list = match common_gpus(job)? {
        None => None,
        Some(list) => {
            let text = match of_tiles(job) {
                Tiles::No => format!("list:{}", gpu_lists(list, ":")),
                Tiles::Two => format!("list:{}", tiles(list)),
            };
            Some(super::fits(text, "the list of GPUs")?)
        }
    };
    let mut files = Vec::new();
    let mut settings = Vec::new();
    let apps = match apps(job) {
        Ok(apps) => apps,
        Err(why) => {
            let ppn = reordered(job, why)?;
            settings.push(Variable {
                name: "MPICH_RANK_REORDER_METHOD",
                value: Word::plain("3"),
            });
            settings.push(Variable {
                name: "MPICH_RANK_REORDER_FILE",
                value: Word::path("order"),
            });
            files.push(File {
                name: "order",
                body: Box::new(|out| rank_order::write(job, out)),
                signs: Signs::Shown,
            });
            let hosts = (0..job.nodes.len()).collect();
            vec![Blocks { hosts, ppn }]
        }
    };
    let mut words = Vec::new();
    for (number, (app, blocks)) in job.programs.iter().zip(&apps).enumerate() {
        if number > 0 {
            words.push(Word::plain(":"));
        }
        words.extend(hosts(job, blocks, number, &mut files)?);
        words.push(Word::plain("--ppn"));
        words.push(Word::plain(blocks.ppn.to_string()));
        if number == 0 {
            words.extend([Word::plain("--cpu-bind"), bind.clone()]);
            if let Some(gpus) = &gpu_list {
                words.extend([Word::plain("--gpu-bind"), gpus.clone()]);
            }
        }
        words.push(Word::plain("-n"));
        words.push(Word::plain(app.ranks.to_string()));
        if number == 0 {
            words.push(Word::Arguments);
        }
        words.extend(variables::of_app(job, app, OfApp::Program));
        words.extend(program(app));
    }
    let trusts = trusts(&settings);
    Ok(Script {
        comment: comment("pals", job, says(job), trusts),
        launcher: "mpiexec",
        variables: settings,
        words,
        files,
        ..Script::default()
    })
}

/// What a script with these variables trusts.
const fn trusts(settings: &[Variable]) -> &'static str {
    match settings {
        [] => "that the job has all cpus of its nodes",
        [..] => {
            "that the job has all cpus of its nodes, that programs use Cray MPICH, and that every node can read the file of ranks"
        }
    }
}

/// How a node's GPUs are named.
enum Tiles {
    /// By number.
    No,
    /// As `device.tile`: on Aurora a bare number is refused.
    Two,
}

fn of_tiles(job: &Job<'_>) -> Tiles {
    match gpus::anywhere(job.plan).map(|gpu| gpu.family) {
        Some(GpuFamily::Ze) => Tiles::Two,
        Some(_) | None => Tiles::No,
    }
}

/// Flat numbers as `device.tile`, with colons between ranks.
fn tiles(list: &[Vec<u32>]) -> String {
    let names = |own: &Vec<u32>| {
        let own = own.iter().map(|flat| format!("{}.{}", flat / 2, flat % 2));
        own.collect::<Vec<_>>().join(",")
    };
    list.iter().map(names).collect::<Vec<_>>().join(":")
}

/// The hosts of an app as a word, or as a file if the word would be too long.
fn hosts<'p>(
    job: &'p Job<'p>,
    blocks: &Blocks,
    number: usize,
    files: &mut Vec<File<'p>>,
) -> Result<[Word; 2], Unsaid> {
    let names: Vec<String> = blocks
        .hosts
        .iter()
        .map(|&host| job.nodes.name(host))
        .collect();
    let list = names.join(",");
    if list.len() < WORD_BYTES_MAX {
        return Ok([Word::plain("--hosts"), Word::Plain(list)]);
    }
    if number > 0 {
        return Err(Unsaid(format!(
            "the list of the {} hosts of a later app takes more than {WORD_BYTES_MAX} bytes",
            names.len()
        )));
    }
    files.push(File {
        name: "hosts",
        body: Box::new(move |out| names.iter().try_for_each(|name| writeln!(out, "{name}"))),
        signs: Signs::Shown,
    });
    Ok([Word::plain("--hostfile"), Word::path("hosts")])
}

/// The word for cpus.
fn bind(job: &Job<'_>) -> Result<Word, Unsaid> {
    if job.lists.rows.is_empty() {
        return Ok(Word::plain("none"));
    }
    let list = whole(common(job)?);
    let text = format!("list:{}", lists(job, &list, ',', ":"));
    if text.len() < WORD_BYTES_MAX {
        return Ok(Word::Plain(text));
    }
    super::fits(format!("mask:{}", masks(job, &list)), "the list of cpus")
}

/// The blocks of each app, on nodes of its own.
fn apps(job: &Job<'_>) -> Result<Vec<Blocks>, Unsaid> {
    let blocks = job.blocks().map_err(|(rank, node)| {
        Unsaid(format!(
            "rank {rank} comes back to node {}, and ranks go over hosts by block",
            job.nodes.name(node)
        ))
    })?;
    let mut blocks = blocks.into_iter();
    job.programs
        .iter()
        .map(|app| app_blocks(job, app, &mut blocks))
        .collect()
}

fn app_blocks(
    job: &Job<'_>,
    app: &Program<'_>,
    blocks: &mut impl Iterator<Item = (u32, u32)>,
) -> Result<Blocks, Unsaid> {
    let mut own = Blocks {
        hosts: Vec::new(),
        ppn: 0,
    };
    let mut left = app.ranks;
    while left > 0 {
        let Some((node, count)) = blocks.next() else {
            return Err(Unsaid("the ranks end before the apps do".to_owned()));
        };
        let name = || job.nodes.name(node);
        if count > left {
            return Err(Unsaid(format!(
                "node {} has ranks of two apps, the later ones from rank {} on, and apps may not share nodes",
                name(),
                app.first + app.ranks
            )));
        }
        left -= count;
        if own.hosts.is_empty() {
            own.ppn = count;
        }
        if count > own.ppn || (count < own.ppn && left > 0) {
            return Err(Unsaid(format!(
                "node {} has {} and node {} has {}, and all but the last have as many",
                name(),
                counted(count, "rank"),
                job.nodes.name(own.hosts[0]),
                own.ppn
            )));
        }
        own.hosts.push(node);
    }
    Ok(own)
}

/// The number of ranks on each node, if a file of ranks gives the order.
fn reordered(job: &Job<'_>, why: Unsaid) -> Result<u32, Unsaid> {
    if job.single().is_none() {
        return Err(why);
    }
    rank_order::equal(job).map_err(|Unsaid(also)| Unsaid(format!("{}; {also}", why.0)))
}
