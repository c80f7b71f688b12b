//! `stowplan topo show --network NET` and `stowplan topo list --networks`.

use super::{push, written};
use crate::Console;
use crate::command::given::Given;
use crate::report::{Refused, told};
use stowplan::answers::network_json::json;
use stowplan::score::network::{Asked, BadNetwork, Level, Network, machines, read, topology_conf};
use stowplan_engine::count::counted;
use stowplan_engine::table::names::Names;
use stowplan_engine::text::hostlist::read_host_names;

/// The form of the answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Text,
    Json,
    Conf,
}

/// The forms, by the word after `--format`.
const FORMS: &[(&str, Form)] = &[
    ("text", Form::Text),
    ("json", Form::Json),
    ("topology-conf", Form::Conf),
];

/// Shows a network.
pub(super) fn show(given: &Given<'_>, console: &mut Console<'_>) -> Result<u8, Refused> {
    given.no_words()?;
    if given.has("devices") {
        let sentence = "--devices is of a topology, and --network shows none".to_owned();
        return Err(told("bad-option", sentence));
    }
    let form = given.choice("format", FORMS)?.unwrap_or(Form::Text);
    let hosts = given.value("host").map(names).transpose()?;
    let asked = Asked {
        text: given.value("network").unwrap_or_default().to_owned(),
        levels: given.value("network-levels").map(str::to_owned),
    };
    let file = |path: &str| console.files.read(path);
    let network = read(&asked, hosts.as_ref(), &file).map_err(refused)?;
    if let Some(hosts) = &hosts {
        network.numbers_of(hosts).map_err(refused)?;
    }
    let shown = match form {
        Form::Text => text(&network),
        Form::Json => json(&network),
        Form::Conf => topology_conf(&network).map_err(refused)?,
    };
    written(&shown, console)
}

fn refused(error: BadNetwork) -> Refused {
    told(BadNetwork::CLASS, error.to_string())
}

/// The names of a host list.
fn names(list: &str) -> Result<Names, Refused> {
    let bad = || {
        let sentence = format!("-H {list}: this is no list of hosts such as n[0-3],m7");
        told("bad-hostlist", sentence)
    };
    let mut names = Names::default();
    for range in read_host_names(list).map_err(|_| bad())? {
        names.add(&range).map_err(|_| bad())?;
    }
    Ok(names)
}

/// Nodes in one object, the most and the fewest.
fn sizes(level: &Level, nodes: u32) -> (u32, u32) {
    let each = level.stretches(nodes).into_iter();
    let sizes: Vec<u32> = each
        .map(|own| own.iter().map(|part| part.1 - part.0).sum())
        .collect();
    let most = sizes.iter().max().copied().unwrap_or(0);
    (most, sizes.iter().min().copied().unwrap_or(0))
}

fn text(network: &Network) -> String {
    let mut text = String::new();
    let nodes = network.names().len();
    push(
        &mut text,
        format_args!(
            "{} of {nodes} nodes · {}\n",
            network.kind().word(),
            super::plain(network.source())
        ),
    );
    for level in network.levels() {
        let (most, fewest) = sizes(level, nodes);
        let each = if most == fewest {
            format!("{} each", counted(most, "node"))
        } else {
            format!("{fewest} to {most} nodes")
        };
        let names = match level.objects.as_slice() {
            [] => String::new(),
            [only] => super::plain(only),
            [first, .., last] => format!("{} … {}", super::plain(first), super::plain(last)),
        };
        push(
            &mut text,
            format_args!(
                "{:<12} {:>8}  {each}  {names}\n",
                level.word,
                level.objects.len(),
            ),
        );
    }
    text
}

/// The machines whose networks are known, and those whose are not.
pub(super) fn list() -> String {
    let mut text = String::new();
    for machine in machines::machines() {
        push(
            &mut text,
            format_args!(
                "{}\n  shape   {}\n  names   {}\n  {}: {}\n  source  {}\n",
                machine.name,
                machine.shape.unwrap_or("not known"),
                machine.names.unwrap_or("no rule is known"),
                machine.certainty,
                machine.said,
                machine.source
            ),
        );
    }
    text
}
