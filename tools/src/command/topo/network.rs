//! `stowplan topo show --network NET` and `stowplan topo list --networks`.

use super::{Refused, push, unknown};
use stowplan_answers::network_json::json;
use stowplan_engine::count::counted;
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::table::names::Names;
use stowplan_engine::text::host_types::HostEntry;
use stowplan_engine::text::hostlist::read_hosts;
use stowplan_score::network::{Asked, BadNetwork, Level, Network, machines, read, topology_conf};

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

/// The options, each with a value.
const OPTIONS: &[&str] = &["--network", "--network-levels", "-H", "--host", "--format"];

/// Whether a network is asked for, and not a topology.
pub(super) fn is_asked(words: &[&str]) -> bool {
    let name = |word: &&str| word.split('=').next() == Some("--network");
    words.iter().any(name)
}

/// Shows a network, with notes.
pub(super) fn show(words: &[&str], files: &dyn Files) -> Result<(String, Vec<String>), Refused> {
    let mut asked = Asked::default();
    let (mut hosts, mut form, mut seen) = (None, Form::Text, Vec::new());
    let mut rest = words.iter();
    while let Some(&word) = rest.next() {
        let (name, inline) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        if !OPTIONS.contains(&name) {
            return Err(unknown(word));
        }
        let option = if name == "--host" { "-H" } else { name };
        let Some(value) = inline.or_else(|| rest.next().copied()) else {
            return Err(bad_option(format!("{name} needs a value")));
        };
        if seen.contains(&option) {
            return Err(bad_option(format!("{name} is given twice")));
        }
        seen.push(option);
        match option {
            "--network" => value.clone_into(&mut asked.text),
            "--network-levels" => asked.levels = Some(value.to_owned()),
            "-H" => hosts = Some(names(value)?),
            _ => {
                let found = FORMS.iter().find(|(word, _)| *word == value);
                form = found.map(|(_, form)| *form).ok_or_else(|| Refused {
                    class: "bad-value",
                    sentence: format!(
                        "--format {value}: a network has the formats text, json and topology-conf"
                    ),
                })?;
            }
        }
    }
    let file = |path: &str| files.read(path);
    let network = read(&asked, hosts.as_ref(), &file).map_err(refused)?;
    if let Some(hosts) = &hosts {
        network.numbers_of(hosts).map_err(refused)?;
    }
    let shown = match form {
        Form::Text => text(&network),
        Form::Json => json(&network),
        Form::Conf => topology_conf(&network).map_err(refused)?,
    };
    Ok((shown, Vec::new()))
}

fn bad_option(sentence: String) -> Refused {
    Refused {
        class: "bad-option",
        sentence,
    }
}

fn refused(error: BadNetwork) -> Refused {
    Refused {
        class: BadNetwork::CLASS,
        sentence: error.to_string(),
    }
}

/// The names of a host list.
fn names(list: &str) -> Result<Names, Refused> {
    let bad = || Refused {
        class: "bad-hostlist",
        sentence: format!("-H {list}: this is no list of hosts such as n[0-3],m7"),
    };
    let mut names = Names::default();
    for entry in read_hosts(list).map_err(|_| bad())? {
        match entry {
            HostEntry::Names(range, _) => drop(names.add(&range).map_err(|_| bad())?),
            HostEntry::Nth(_) | HostEntry::Empty(_) => return Err(bad()),
        }
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
