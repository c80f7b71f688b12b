//! A network as Slurm's topology.conf. Read again, it has the same objects.

use super::host_list;
use super::{BadNetwork, Joined, Network};
use std::collections::HashSet;
use std::fmt::Write as _;

/// The file: a line a switch, the lowest level first. A name that was taken gets its level in front.
///
/// # Errors
/// A network of places, which has no switches; a name that ends a line with `\`.
pub fn topology_conf(network: &Network) -> Result<String, BadNetwork> {
    if network.grid.is_some() {
        let word = network.kind.word();
        return Err(BadNetwork::told(format!(
            "a {word} has no switches: topology.conf cannot say where its nodes are"
        )));
    }
    let nodes = network.names.len();
    let mut text = String::new();
    let mut taken: HashSet<String> = HashSet::new();
    // The names of the level below, as written, and its stretches.
    let mut below: Option<(Vec<String>, &super::Level)> = None;
    for level in network.levels.iter().rev() {
        let names: Vec<String> = level
            .objects
            .iter()
            .map(|name| free(name, &level.word, &mut taken))
            .collect();
        let stretches = level.stretches(nodes);
        let mut children: Vec<Vec<String>> = vec![Vec::new(); level.objects.len()];
        if let Some((lower, own)) = &below {
            let mut seen = vec![false; lower.len()];
            for &(first, object) in &own.runs {
                if !std::mem::replace(&mut seen[object as usize], true) {
                    children[level.object(first) as usize].push(lower[object as usize].clone());
                }
            }
        }
        for ((name, stretches), children) in names.iter().zip(stretches).zip(children) {
            let _ = match below {
                None => writeln!(
                    text,
                    "SwitchName={name} Nodes={}",
                    host_list::write(&network.names, stretches.into_iter())
                ),
                Some(_) => writeln!(text, "SwitchName={name} Switches={}", children.join(",")),
            };
        }
        below = Some((names, level));
    }
    if let Some((names, _)) = below.filter(|top| network.joined == Joined::Whole && top.0.len() > 1)
    {
        let root = free("root", "network", &mut taken);
        let _ = writeln!(text, "SwitchName={root} Switches={}", names.join(","));
    }
    // Such a line goes on in the next one.
    if let Some(line) = text.lines().find(|line| line.ends_with('\\')) {
        return Err(BadNetwork::told(format!(
            "topology.conf cannot say a name that ends with \\: {line}"
        )));
    }
    Ok(text)
}

/// A name that no switch has yet.
fn free(name: &str, level: &str, taken: &mut HashSet<String>) -> String {
    let mut own = name.to_owned();
    while !taken.insert(own.clone()) {
        own = format!("{level}_{own}");
    }
    own
}
