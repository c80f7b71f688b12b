//! Named shapes of jobs and machines, generated. Benches and scale tests place them.

use crate::choices::Choices;
use crate::job::{App, Job};
use std::fmt::Write as _;
use stowplan_engine::map::Machine;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::stage::resolve::Resolved;
use stowplan_engine::table::cpusets::Cpusets;
use stowplan_engine::table::names::NameRange;
use stowplan_engine::table::topologies::{DraftObject, Topologies, TopologyDraft, TopologyId};

/// A job and its machine, ready to be placed.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Its name in tables.
    pub name: String,
    /// Nodes.
    pub nodes: u32,
    /// The job.
    pub resolved: Resolved,
    /// The machine.
    pub machine: Machine,
}

/// The shapes of the tables, in their order.
pub const NAMES: &[&str] = &[
    "elcap-1M",
    "aurora-1.1M",
    "frontier-gpu-79k",
    "fugaku-7.6M",
    "alps-mixed",
    "azure-hbv4",
    "mpmd-64apps",
    "apps-10k",
    "apps-10k-mixed",
    "hetero-worst",
    "crumbs",
];

/// PUs of a node of `hetero-worst`, and how many of them it may use.
const TORN_PUS: u32 = 128;
const TORN_ALLOWED: u32 = 64;

/// A named shape, its node counts divided by `divisor`. `None`: there is no such shape.
#[must_use]
pub fn named(name: &str, divisor: u32) -> Option<Shape> {
    let nodes = |nodes: u32| (nodes / divisor).max(2);
    let shape = match name {
        "elcap-1M" => regular(name, "builtin:elcap", nodes(11_136), 96, "core"),
        "aurora-1.1M" => {
            let node = "package:2 [numa] [numa] l3:1 core:52 pu:2(indexes=2*104:1*2)";
            regular(name, node, nodes(10_624), 104, "core")
        }
        "frontier-gpu-79k" => regular(name, "builtin:frontier", nodes(9_856), 8, "ppr:1:l3cache"),
        "fugaku-7.6M" => regular(name, "builtin:fugaku", nodes(158_976), 48, "core"),
        "alps-mixed" => mixed(name, divisor, Words::map("core")),
        "azure-hbv4" => regular(name, "builtin:hbv4", nodes(1_024), 176, "l3cache"),
        "mpmd-64apps" => mpmd(name, nodes(16_384), 64),
        "apps-10k" => apps(name, nodes(15_625), 10_000 / divisor, &POLICIES[1..2]),
        "apps-10k-mixed" => apps(name, nodes(15_625), 10_000 / divisor, &POLICIES),
        "hetero-worst" => torn(name, nodes(16_384), Slots::Equal, Words::map("core")),
        "crumbs" => torn(name, nodes(16_384), Slots::Own, Words::map("core")),
        _ => return None,
    };
    Some(shape)
}

/// How a shape maps and ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Words<'w> {
    /// `--map-by` of every app.
    pub map: &'w str,
    /// `--rank-by` of every app, when it is said.
    pub rank: Option<&'w str>,
}

impl<'w> Words<'w> {
    const fn map(map: &'w str) -> Self {
        Self { map, rank: None }
    }
    /// The name in tables of a shape with these words: `crumbs numa/span`.
    #[must_use]
    pub fn title(&self, name: &str) -> String {
        format!("{name} {}/{}", self.map, self.rank.unwrap_or("-"))
    }
}

/// Shapes that are measured with every order of ranks, and their `--map-by`.
pub const RANKED: &[(&str, &str)] = &[
    ("equal-1M", "numa"),
    ("alps-mixed", "numa"),
    ("hetero-worst", "core"),
    ("hetero-worst", "numa"),
    ("crumbs", "numa"),
];

/// A shape by its name in tables: `crumbs`, or `crumbs numa/span`.
#[must_use]
pub fn titled(title: &str, divisor: u32) -> Option<Shape> {
    let Some((name, words)) = title.split_once(' ') else {
        return named(title, divisor);
    };
    let (map, rank) = words.split_once('/')?;
    let rank = Some(rank);
    ranked(name, Words { map, rank }, divisor)
}

/// A shape with its own mapping and ranking. `None`: there is no such shape.
#[must_use]
pub fn ranked(name: &str, words: Words<'_>, divisor: u32) -> Option<Shape> {
    let nodes = (16_384 / divisor).max(2);
    let title = words.title(name);
    Some(match name {
        "equal-1M" => equal(
            &title,
            "package:2 numa:2 l3:2 core:8 pu:1",
            nodes,
            64,
            words,
        ),
        "alps-mixed" => mixed(&title, divisor, words),
        "hetero-worst" => torn(&title, nodes, Slots::Equal, words),
        "crumbs" => torn(&title, nodes, Slots::Own, words),
        _ => return None,
    })
}

fn draft(text: &str) -> TopologyDraft {
    let none = |_: &str| Err("no files".to_owned());
    stowplan_topo::read(text, &none).expect("the shapes' topologies are sound")
}

fn machine(topologies: Topologies, cpusets: Cpusets, default: Option<TopologyId>) -> Machine {
    Machine::new(topologies.into(), cpusets, default)
}

fn shape(name: &str, nodes: u32, apps: Vec<App>, machine: Machine) -> Shape {
    let job = Job {
        apps,
        ..Job::default()
    };
    let (resolved, _) = job.resolve().expect("the shapes' words are sound");
    Shape {
        name: name.to_owned(),
        nodes,
        resolved,
        machine,
    }
}

/// The mappings with which every measurement of equal nodes is made.
pub const EQUAL: [&str; 6] = [
    "slot",
    "core",
    "numa",
    "node",
    "ppr:16:numa",
    "package:span",
];

/// Equal nodes, and one app that fills them.
#[must_use]
pub fn regular(name: &str, topology: &str, nodes: u32, slots: u32, map: &str) -> Shape {
    equal(name, topology, nodes, slots, Words::map(map))
}

fn equal(name: &str, topology: &str, nodes: u32, slots: u32, words: Words<'_>) -> Shape {
    let (mut topologies, mut cpusets) = (Topologies::default(), Cpusets::default());
    let id = topologies
        .add(draft(topology), &mut cpusets)
        .expect("the shapes' topologies are sound");
    let app = App {
        hosts: Some(format!("n[0-{}]:{slots}", nodes - 1)),
        np: Some(nodes * slots),
        map: Some(words.map.to_owned()),
        rank: words.rank.map(str::to_owned),
        ..App::default()
    };
    shape(
        name,
        nodes,
        vec![app],
        machine(topologies, cpusets, Some(id)),
    )
}

/// Five classes of nodes, as Alps has them. Each node has as many processes as cores.
fn mixed(name: &str, divisor: u32, words: Words<'_>) -> Shape {
    let classes = [
        ("gh", 2_688, 288, "package:4 [numa] l3:1 core:72 pu:1"),
        (
            "ro",
            1_024,
            128,
            "package:2 group:4 [numa] l3:4 core:4 pu:2(indexes=2*128:1*2)",
        ),
        (
            "a1",
            144,
            64,
            "package:1 group:4 [numa] l3:2 core:8 pu:2(indexes=2*64:1*2)",
        ),
        (
            "mi",
            128,
            96,
            "package:4 [numa] l3:3 l2:8 core:1 pu:2(indexes=2*96:1*2)",
        ),
        (
            "x2",
            24,
            64,
            "package:1 group:4 [numa] l3:2 l2:8 core:1 pu:2(indexes=2*64:1*2)",
        ),
    ];
    let (mut topologies, mut cpusets) = (Topologies::default(), Cpusets::default());
    let mut assigned = Vec::new();
    let mut hosts = Vec::new();
    let (mut nodes, mut procs) = (0, 0);
    for (prefix, count, slots, text) in classes {
        let count = (count / divisor).max(1);
        let id = topologies
            .add(draft(text), &mut cpusets)
            .expect("the shapes' topologies are sound");
        assigned.push((vec![range(prefix, count)], id));
        hosts.push(format!("{prefix}[0-{}]:{slots}", count - 1));
        nodes += count;
        procs += count * slots;
    }
    let app = App {
        hosts: Some(hosts.join(",")),
        np: Some(procs),
        map: Some(words.map.to_owned()),
        rank: words.rank.map(str::to_owned),
        ..App::default()
    };
    let mut machine = machine(topologies, cpusets, None);
    machine.assigned = assigned;
    shape(name, nodes, vec![app], machine)
}

fn range(prefix: &str, count: u32) -> NameRange {
    NameRange {
        prefix: prefix.to_owned(),
        first: 0,
        count,
        width: 1,
        suffix: String::new(),
    }
}

/// How the apps of mixed jobs are mapped and bound.
const POLICIES: [(&str, &str); 8] = [
    ("slot", "none"),
    ("core", "core"),
    ("numa", "numa"),
    ("node", "none"),
    ("package:span", "package"),
    ("l3cache", "core"),
    ("core:span", "core"),
    ("ppr:1:package", "core"),
];

/// Apps that share equal nodes and have mixed policies.
#[must_use]
pub fn mpmd(name: &str, nodes: u32, many: u32) -> Shape {
    apps(name, nodes, many, &POLICIES)
}

/// Apps with these policies in turn. Together their processes take half of the slots.
fn apps(name: &str, nodes: u32, apps: u32, policies: &[(&str, &str)]) -> Shape {
    let (mut topologies, mut cpusets) = (Topologies::default(), Cpusets::default());
    let topology = "package:2 numa:2 l3:4 core:8 pu:1";
    let id = topologies
        .add(draft(topology), &mut cpusets)
        .expect("the shapes' topologies are sound");
    let slots = 128;
    let apps = apps.max(1);
    let per_app = nodes * 64 / apps;
    let apps = (0..apps)
        .zip(policies.iter().cycle())
        .map(|(at, &(map, bind))| App {
            hosts: (at == 0).then(|| format!("n[0-{}]:{slots}", nodes - 1)),
            np: Some(per_app),
            map: Some(map.to_owned()),
            bind: Some(bind.to_owned()),
            ..App::default()
        });
    shape(
        name,
        nodes,
        apps.collect(),
        machine(topologies, cpusets, Some(id)),
    )
}

/// Apps of eight processes, each app on a node of its own.
#[must_use]
pub fn apart(name: &str, apps: u32) -> Shape {
    let (mut topologies, mut cpusets) = (Topologies::default(), Cpusets::default());
    let id = topologies
        .add(draft("package:2 numa:2 l3:4 core:8 pu:1"), &mut cpusets)
        .expect("the shapes' topologies are sound");
    let each = (0..apps).map(|at| App {
        hosts: Some(format!("n{at}:8")),
        np: Some(8),
        map: Some("core".to_owned()),
        ..App::default()
    });
    let machine = machine(topologies, cpusets, Some(id));
    shape(name, apps, each.collect(), machine)
}

/// The same on nodes of which no two are alike. Each app has as many processes as its node has cores.
#[must_use]
pub fn apart_torn(name: &str, apps: u32) -> Shape {
    let torn = torn(name, apps, Slots::Equal, Words::map("core"));
    let each = (0..apps).map(|at| App {
        hosts: Some(format!("n{at}:{TORN_ALLOWED}")),
        np: Some(TORN_ALLOWED),
        map: Some("core".to_owned()),
        ..App::default()
    });
    shape(name, apps, each.collect(), torn.machine)
}

/// Whether each torn node has as many slots as cores, or its own number of slots.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slots {
    Equal,
    Own,
}

/// Nodes that may use different cpus each. With `Slots::Own` their slots differ too, and there are two apps.
fn torn(name: &str, nodes: u32, slots: Slots, words: Words<'_>) -> Shape {
    let mut choices = Choices::seeded(0x70_1d);
    let (mut topologies, mut cpusets) = (Topologies::default(), Cpusets::default());
    let mut assigned = Vec::new();
    let mut hosts = String::new();
    let mut total = 0;
    for node in 0..nodes {
        let id = topologies
            .add(torn_node(&mut choices), &mut cpusets)
            .expect("the shapes' topologies are sound");
        let mut name = range("n", 1);
        name.first = u64::from(node);
        assigned.push((vec![name], id));
        let own = match slots {
            Slots::Equal => TORN_ALLOWED,
            Slots::Own => choices.within(1, TORN_ALLOWED),
        };
        total += own;
        let comma = if node == 0 { "" } else { "," };
        write!(hosts, "{comma}n{node}:{own}").expect("a String takes every character");
    }
    let first = match slots {
        Slots::Equal => total,
        Slots::Own => total / 3,
    };
    let app = |np: u32, map: &str| App {
        np: Some(np),
        map: Some(map.to_owned()),
        rank: words.rank.map(str::to_owned),
        bind: Some("core".to_owned()),
        ..App::default()
    };
    let mut apps = vec![App {
        hosts: Some(hosts),
        ..app(
            first,
            // The first app of `crumbs` maps by node, unless the shape has a ranking.
            if slots == Slots::Equal || words.rank.is_some() {
                words.map
            } else {
                "node"
            },
        )
    }];
    if first < total {
        apps.push(app(total - first, words.map));
    }
    let mut machine = machine(topologies, cpusets, None);
    machine.assigned = assigned;
    shape(name, nodes, apps, machine)
}

/// A node with two packages that may use half of its cores, chosen at random.
fn torn_node(choices: &mut Choices<'_>) -> TopologyDraft {
    let mut pus: Vec<u32> = (0..TORN_PUS).collect();
    for at in (1..TORN_PUS).rev() {
        let other = choices.below(at + 1);
        pus.swap(at as usize, other as usize);
    }
    pus.truncate(TORN_ALLOWED as usize);
    pus.sort_unstable();
    let half = pus.partition_point(|&pu| pu < TORN_PUS / 2);
    let half = u32::try_from(half).expect("a node has few PUs");
    let object = |kind, os, pus| DraftObject { kind, os, pus };
    let all = 0..TORN_ALLOWED;
    let sides: Vec<_> = [0..half, half..TORN_ALLOWED]
        .into_iter()
        .filter(|side| !side.is_empty())
        .collect();
    let mut objects = vec![object(ObjKind::Machine, None, vec![all.clone()])];
    for kind in [ObjKind::Package, ObjKind::Numa] {
        objects.extend(
            (0..)
                .zip(&sides)
                .map(|(os, side)| object(kind, Some(os), vec![side.clone()])),
        );
    }
    let own = |pu: u32| std::iter::once(pu..pu + 1).collect();
    let cores = all.map(|pu| object(ObjKind::Core, Some(pu), own(pu)));
    objects.extend(cores);
    TopologyDraft {
        pus_os: pus,
        objects,
        ..TopologyDraft::default()
    }
}
