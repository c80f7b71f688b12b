//! Which form a description of a network has, and what it gives.

use super::refused::in_line;
use super::{
    BYTES_MAX, BadNetwork, LINE_MAX, Network, address, machines, rows, synthetic, template,
    topology_conf, yaml,
};
use stowplan_engine::table::names::Names;

/// What was asked for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Asked {
    /// `--network`.
    pub text: String,
    /// `--network-levels`.
    pub levels: Option<String>,
}

/// Reads the network that a text describes or names. `job`: the job's nodes, for forms that go by names; `file` reads a file.
///
/// # Errors
/// What is wrong, with the file and the line.
pub fn read(
    asked: &Asked,
    job: Option<&Names>,
    file: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<Network, BadNetwork> {
    let text = asked.text.trim();
    let network = if let Some(machine) = text.strip_prefix("builtin:") {
        match machine.split_once(char::is_whitespace) {
            Some((name, hosts)) => machines::read(name, Some(hosts.trim()), job),
            None => machines::read(machine, None, job),
        }
    } else if let Some(form) = text.strip_prefix("names ") {
        match job {
            Some(job) => template::read(form.trim(), job),
            None => Err(BadNetwork::told(format!(
                "--network {text}: it goes by the names of hosts, and none are given"
            ))),
        }
    } else if text.contains(char::is_whitespace) {
        synthetic::read(text)
    } else {
        of_file(text, file)
    }?;
    match &asked.levels {
        Some(words) => network.called(words),
        None => Ok(network),
    }
}

fn of_file(
    text: &str,
    file: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<Network, BadNetwork> {
    if text.is_empty() {
        return Err(BadNetwork::told(
            "--network takes a file, builtin:NAME, names TEMPLATE, or words such as 'switch:2 node:4 n[0-7]'",
        ));
    }
    let whole = |why: String| BadNetwork::told(format!("{text} cannot be read: {why}"));
    // A file that has the # in its name is found first.
    let (path, which, bytes) = match file(text) {
        Ok(bytes) => (text, None, bytes),
        Err(why) => match text.rsplit_once('#') {
            Some((path, name)) if !path.is_empty() => {
                (path, Some(name), file(path).map_err(whole)?)
            }
            _ => return Err(whole(why)),
        },
    };
    if bytes.len() > BYTES_MAX {
        return Err(BadNetwork::told(format!(
            "{path} has {} bytes, at most {BYTES_MAX} are read",
            bytes.len()
        )));
    }
    let Ok(words) = String::from_utf8(bytes) else {
        return Err(BadNetwork::told(format!("{path} is no text in UTF-8")));
    };
    of_text(&words, which, path)
}

/// Reads the text of a file. `source`: its name.
///
/// # Errors
/// What is wrong, with the line.
pub(super) fn of_text(
    text: &str,
    which: Option<&str>,
    source: &str,
) -> Result<Network, BadNetwork> {
    let long = (1_u32..)
        .zip(text.lines())
        .find(|(_, line)| line.len() > LINE_MAX);
    if let Some((number, line)) = long {
        let why = format!(
            "the line has {} bytes, at most {LINE_MAX} are read",
            line.len()
        );
        return Err(in_line(source, number).bad(why));
    }
    let lines = (1_u32..).zip(text.lines().map(str::trim));
    let is_head = |line: &str| {
        line.strip_prefix("#node")
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
    };
    let mut first =
        lines.filter(|(_, line)| !line.is_empty() && (!line.starts_with('#') || is_head(line)));
    let Some((number, line)) = first.next() else {
        return Err(in_line(source, 0).bad("there is nothing in it"));
    };
    let here = in_line(source, number);
    let word = line.split_whitespace().next().unwrap_or_default();
    let is_yaml =
        line == "---" || line.starts_with("--- ") || word == "-" || line.starts_with("topology:");
    if which.is_some() && !is_yaml {
        return Err(here.bad(format!(
            "#{} picks a topology of a topology.yaml, and this is none",
            which.unwrap_or_default()
        )));
    }
    if is_head(line) {
        rows::read(text, source)
    } else if is_yaml {
        yaml::read(text, which, source)
    } else if topology_conf::begins(word) {
        topology_conf::read(text, source)
    } else if line.starts_with('[') {
        Err(here.bad(format!("{line} begins a file of ClusterShell's groups, which says nothing on levels: topology.conf is read")))
    } else if word.contains('=') {
        Err(here.bad(format!("{word:?} begins no network: there are SwitchName= BlockName= BlockSizes= RingName= TorusName=")))
    } else if word.contains('.') {
        address::read(text, source)
    } else {
        Err(here.bad(format!("{word:?} begins no network: rows need a head #node LEVEL …, addresses have dots, other lines KEY=VALUE")))
    }
}
