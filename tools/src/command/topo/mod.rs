//! `stowplan topo show` and `stowplan topo list`.

// Everything, for programs.
mod json;
// Networks above the node.
mod network;
// The tree, folded.
mod text;

use super::given::Given;
use super::subcommand::{Many, Nothing, Once, One, Subcommand, own, subcommand};
use crate::Console;
use crate::output;
use crate::report::{self, Refused, told};
use std::fmt::Write as _;
use stowplan::launchers::slurm::MachineSite;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::table::cpusets::{Cpusets, list_form};
use stowplan_engine::table::topologies::{
    Device, DraftObject, Topologies, TopologyDraft, TopologyId,
};
use stowplan_engine::text::printable::shown;
use stowplan_topo::builtin;

pub(crate) const COMMAND: Subcommand = subcommand(
    "topo",
    "show T | list",
    "Shows a topology or a network, or lists the named machines",
    |_, _| Ok(0),
);

#[rustfmt::skip]
pub(crate) const SHOW: Subcommand = Subcommand {
    options: &[
        own(&["devices"], One, "KIND=WHERE", Many, "devices near objects, as for map: gpu=numa:2; may be repeated"),
        own(&["network"], One, "NET", Once, "a network in place of a topology: a file, words, builtin:NAME HOSTS"),
        own(&["network-levels"], One, "WORDS", Once, "what the levels of the network are called, from the lowest up"),
        own(&["host", "H"], One, "LIST", Once, "the nodes of the network"),
        own(&["format"], One, "F", Once, "text, tsv: an object a line, or json; of a network text, json or topology-conf [default: text]"),
    ],
    examples: &[
        ("stowplan topo show builtin:frontier", "the tree of a named machine, folded"),
        ("stowplan topo show 'package:2 numa:2 core:8 pu:2' --format tsv", "each object of a synthetic one"),
    ],
    ..subcommand("topo show", "T [options] | --network NET [options]", "A topology as it is understood: a file of hwloc, a synthetic string, builtin:NAME", |args, console| {
        let given = Given::read(&SHOW, args)?;
        match given.has("network") {
            true => network::show(&given, console),
            false => show(&given, console),
        }
    })
};

#[rustfmt::skip]
pub(crate) const LIST: Subcommand = Subcommand {
    options: &[own(&["networks"], Nothing, "", Once, "the machines whose networks are known, and those whose are not")],
    ..subcommand("topo list", "[--networks]", "The named machines, their nodes and shape", |args, console| {
        let given = Given::read(&LIST, args)?;
        given.no_words()?;
        let text = if given.has("networks") { network::list() } else { list()? };
        written(&text, console)
    })
};

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

fn written(text: &str, console: &mut Console<'_>) -> Result<u8, Refused> {
    output::give(None, console.out, |out| out.write_all(text.as_bytes())).map(|()| 0)
}

fn show(given: &Given<'_>, console: &mut Console<'_>) -> Result<u8, Refused> {
    for alone in ["network-levels", "host"] {
        if given.has(alone) {
            let sentence = format!("--{alone} is of a network, and there is no --network");
            return Err(told("bad-option", sentence));
        }
    }
    let source = given.only("T")?;
    let format = given.choice("format", FORMATS)?.unwrap_or(Format::Text);
    let loaded = load(source, given.all("devices"), console.files)?;
    let Loaded {
        topologies,
        cpusets,
        topology,
        nics,
    } = &loaded;
    let topology = *topology;
    let shown = match format {
        Format::Text => text::text(source, topologies, cpusets, topology),
        Format::Tsv => tsv(topologies, cpusets, topology),
        Format::Json => json::json(topologies, cpusets, topology, nics),
    };
    for indexes in stowplan_topo::synthetic::ignored(source).unwrap_or_default() {
        let text = format!(
            "indexes={} of the topology does not number all objects of its level, so they are numbered in order",
            plain(indexes)
        );
        report::note(console.err, "no-effect", &text);
    }
    written(&shown, console)
}

/// A topology, and its network cards, which are in no table.
struct Loaded {
    topologies: Topologies,
    cpusets: Cpusets,
    topology: TopologyId,
    nics: Vec<Device>,
}

fn load<'d>(
    source: &str,
    devices: impl Iterator<Item = &'d str>,
    files: &dyn Files,
) -> Result<Loaded, Refused> {
    let file = |path: &str| files.read(path);
    let draft = match source {
        "here" => crate::surroundings::here(),
        _ => stowplan_topo::read(source, &file),
    };
    let mut draft = draft?;
    for text in devices {
        let (nodes, stated) = stowplan_topo::devices::read(text)?;
        if nodes.is_some() {
            let sentence =
                format!("--devices {text}: one topology is shown here, which has no nodes to name");
            return Err(told("bad-devices", sentence));
        }
        stated.replace(&mut draft)?;
    }
    let nics = draft.nics.clone();
    let (mut topologies, mut cpusets) = (Topologies::default(), Cpusets::default());
    let topology = topologies
        .add(draft, &mut cpusets)
        .map_err(|error| told("bad-topology", format!("topology {source}: {error}")))?;
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
        let whole = machine.whole()?;
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
