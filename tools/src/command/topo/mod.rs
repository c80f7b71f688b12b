//! `stowplan topo show T [--format text|tsv|json] [--devices KIND=WHERE]` and `stowplan topo list`.

// Everything, for programs.
mod json;
// Networks above the node.
mod network;
// The tree, folded.
mod text;

use crate::report;
use std::fmt::Write as _;
use std::io::Write;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::table::cpusets::{Cpusets, list_form};
use stowplan_engine::table::topologies::{
    Device, DraftObject, Topologies, TopologyDraft, TopologyId,
};
use stowplan_engine::text::printable::shown;
use stowplan_launchers::slurm::MachineSite;
use stowplan_topo::{TopoError, builtin};

/// What went wrong: a class of `errors.md` and a sentence.
struct Refused {
    class: &'static str,
    sentence: String,
}

/// The form in which a topology is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Text,
    Tsv,
    Json,
}

/// The formats, by the word after `--format`.
const FORMATS: &[(&str, Format)] = &[
    ("text", Format::Text),
    ("tsv", Format::Tsv),
    ("json", Format::Json),
];

/// Runs the subcommand with the arguments after `topo`. Returns the exit status: 0, or 2 with nothing on `out`.
pub fn run(args: &[String], files: &dyn Files, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let answer = match answer(args, files) {
        Ok((answer, notes)) => {
            for note in notes {
                let _ = writeln!(err, "note[no-effect]: {note}");
            }
            answer
        }
        Err(Refused { class, sentence }) => {
            // The worst that can happen to a message is that nobody reads it.
            let _ = writeln!(err, "error[{class}]: {}", plain(&sentence));
            let option = args.iter().find(|word| word.starts_with("--"));
            let known = |word: &&String| {
                ["--format", "--devices"]
                    .iter()
                    .any(|own| word.starts_with(own))
            };
            let near = option
                .filter(|word| class == "bad-option" && !known(word))
                .and_then(|word| super::nearest_option("topo show", word));
            if let Some(near) = near {
                let _ = writeln!(err, "help: did you mean {near}?");
            }
            return 2;
        }
    };
    match out.write_all(answer.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => 0,
        Err(error) => report::Refused::unwritten(error).print(err),
    }
}

/// The text to write, and notes on words that have no effect.
fn answer(args: &[String], files: &dyn Files) -> Result<(String, Vec<String>), Refused> {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.split_first() {
        Some((&"list", [])) => Ok((list()?, Vec::new())),
        Some((&"list", ["--networks"])) => Ok((network::list(), Vec::new())),
        Some((&"list", [word, ..])) => Err(unknown(word)),
        Some((&"show", rest)) if network::is_asked(rest) => network::show(rest, files),
        Some((&"show", rest)) => show(rest, files),
        Some((word, _)) => Err(unknown(word)),
        None => Err(Refused {
            class: "bad-option",
            sentence: "topo needs `show T` or `list` after it".to_owned(),
        }),
    }
}

fn unknown(word: &str) -> Refused {
    Refused {
        class: "bad-option",
        sentence: format!(
            "{word:?} is unknown to topo; there are `show T [--format text|tsv|json] [--devices KIND=WHERE]` and `list`"
        ),
    }
}

fn show(words: &[&str], files: &dyn Files) -> Result<(String, Vec<String>), Refused> {
    let mut format = None;
    let mut source = None;
    let mut devices = Vec::new();
    let mut rest = words.iter();
    while let Some(&word) = rest.next() {
        if let Some(value) = word.strip_prefix("--devices") {
            let value = match value {
                "" => rest.next().copied(),
                value => value.strip_prefix('='),
            };
            let value = value.ok_or_else(|| Refused {
                class: "bad-option",
                sentence: "--devices needs a value, as gpu=numa:2".to_owned(),
            })?;
            devices.push(value);
            continue;
        }
        let value = match word.strip_prefix("--format") {
            Some("") => rest.next().copied(),
            Some(value) => value.strip_prefix('='),
            None if word.starts_with('-') || source.is_some() => return Err(unknown(word)),
            None => {
                source = Some(word);
                continue;
            }
        };
        let value = value.ok_or_else(|| Refused {
            class: "bad-option",
            sentence: "--format needs a value, text, tsv or json".to_owned(),
        })?;
        if format.is_some() {
            return Err(Refused {
                class: "bad-option",
                sentence: "--format is given twice".to_owned(),
            });
        }
        format = Some(format_of(value)?);
    }
    let source = source.ok_or_else(|| Refused {
        class: "bad-option",
        sentence:
            "topo show needs a topology: an XML file, a synthetic description or builtin:NAME"
                .to_owned(),
    })?;
    let loaded = load(source, &devices, files)?;
    let Loaded {
        topologies,
        cpusets,
        topology,
        nics,
    } = &loaded;
    let topology = *topology;
    let shown = match format.unwrap_or(Format::Text) {
        Format::Text => text::text(source, topologies, cpusets, topology),
        Format::Tsv => tsv(topologies, cpusets, topology),
        Format::Json => json::json(topologies, cpusets, topology, nics),
    };
    let ignored = stowplan_topo::synthetic::ignored(source).unwrap_or_default();
    let ignored = ignored.into_iter().map(|indexes| {
        format!(
            "indexes={} of the topology does not number all objects of its level, so they are numbered in order",
            plain(indexes)
        )
    });
    Ok((shown, ignored.collect()))
}

fn format_of(value: &str) -> Result<Format, Refused> {
    let found = FORMATS.iter().find(|(word, _)| *word == value);
    found.map(|(_, format)| *format).ok_or_else(|| Refused {
        class: "bad-value",
        sentence: format!("--format {value}: topo show has the formats text, tsv and json"),
    })
}

/// A topology, and its network cards, which are in no table.
struct Loaded {
    topologies: Topologies,
    cpusets: Cpusets,
    topology: TopologyId,
    nics: Vec<Device>,
}

fn load(source: &str, devices: &[&str], files: &dyn Files) -> Result<Loaded, Refused> {
    let file = |path: &str| files.read(path);
    let draft = match source {
        "here" => crate::surroundings::here(),
        _ => stowplan_topo::read(source, &file),
    };
    let mut draft = draft.map_err(refused)?;
    for text in devices {
        let (nodes, stated) = stowplan_topo::devices::read(text).map_err(refused)?;
        if nodes.is_some() {
            return Err(Refused {
                class: "bad-devices",
                sentence: format!(
                    "--devices {text}: one topology is shown here, which has no nodes to name"
                ),
            });
        }
        stated.replace(&mut draft).map_err(refused)?;
    }
    let nics = draft.nics.clone();
    let (mut topologies, mut cpusets) = (Topologies::default(), Cpusets::default());
    let topology = topologies
        .add(draft, &mut cpusets)
        .map_err(|error| Refused {
            class: "bad-topology",
            sentence: format!("topology {source}: {error}"),
        })?;
    Ok(Loaded {
        topologies,
        cpusets,
        topology,
        nics,
    })
}

/// A line for each object: kind, logical index, OS number, PUs by OS number; then the devices.
fn tsv(topologies: &Topologies, cpusets: &Cpusets, topology: TopologyId) -> String {
    let mut text = "#kind\tlogical\tos\tcpus\n".to_owned();
    for kind in ObjKind::ALL {
        for (logical, object) in topologies.objects(topology, kind).enumerate() {
            let cpus = list_form(cpusets.get(topologies.cpuset(object)));
            push(&mut text, format_args!("{}\t{logical}\t", kind.word()));
            match topologies.os(object) {
                Some(os) => push(&mut text, format_args!("{os}\t{cpus}\n")),
                None => push(&mut text, format_args!("-\t{cpus}\n")),
            }
        }
    }
    let pus_os = topologies.pus_os(topology);
    for device in topologies.devices(topology) {
        let pus = device
            .pus
            .iter()
            .flat_map(|range| &pus_os[range.start as usize..range.end as usize]);
        let cpus = list_form(&pus.copied().collect());
        push(
            &mut text,
            format_args!(
                "device\t{}\t{}\t{cpus}\n",
                plain(&device.name),
                plain(&device.subtype)
            ),
        );
    }
    text
}

/// A name without control characters such as tabs and line ends, which a file may contain.
fn plain(name: &str) -> String {
    name.chars().map(shown).collect()
}

fn push(text: &mut String, words: std::fmt::Arguments<'_>) {
    text.write_fmt(words)
        .expect("a String takes every character");
}

/// The named machines, one per line.
fn list() -> Result<String, Refused> {
    let mut text = format!(
        "{:<17} {:>7} {:>12} {:<24} {:<65} {}\n",
        "name", "nodes", "cores a node", "of them kept (L#)", "one node, all cores", "source"
    );
    for machine in builtin::MACHINES {
        let cores = |draft: &TopologyDraft| {
            let of_kind = |object: &&DraftObject| object.kind == ObjKind::Core;
            draft.objects.iter().filter(of_kind).count()
        };
        let whole = machine.whole().map_err(refused)?;
        let kept = match machine.kept {
            [] => "-".to_owned(),
            kept => list_form(&kept.iter().copied().collect()),
        };
        let nodes = match machine.nodes {
            0 => "-".to_owned(),
            nodes => nodes.to_string(),
        };
        let lacks = match machine.removed {
            Some(_) => " less some PUs",
            None => "",
        };
        let gpus = machine.gpus.map_or_else(String::new, |gpus| {
            let count = gpus.visible.len();
            format!("; {count} GPUs: {}", gpus.source)
        });
        let slurm = MachineSite::of(machine.name).map_or_else(String::new, |site| {
            format!("; Slurm's site: {} ({})", site.settings(), site.source)
        });
        push(
            &mut text,
            format_args!(
                "{:<17} {nodes:>7} {:>12} {kept:<24} {:<65} {}: {}{gpus}{slurm}\n",
                machine.name,
                cores(&whole),
                format!("{}{lacks}", machine.synthetic),
                machine.site,
                machine.source
            ),
        );
    }
    Ok(text)
}

fn refused(error: TopoError) -> Refused {
    Refused {
        class: error.class(),
        sentence: error.to_string(),
    }
}
