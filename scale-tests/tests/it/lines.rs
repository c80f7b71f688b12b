//! Random lines of launchers, against their plain models.

use stowplan_engine::policy::ObjKind;
use stowplan_reference::lines::aprun;
use stowplan_reference::lines::flux::{Affinity, Ask, Policy, Sharing, Tasks};
use stowplan_reference::lines::hydra::Binding;
use stowplan_reference::lines::intel::{Domain, Usual};
use stowplan_reference::lines::jsrun::{self, Latency};
use stowplan_reference::lines::pals::Bind;
use stowplan_reference::lines::slurm::{
    Distribution, First, Flag, Hint, Packing, Parameter, Second, Selects, Slurm,
};
use stowplan_scale_tests::lines::{Launcher, Plant, differences, found};

#[test]
fn lines_land_where_the_plain_models_put_them() {
    for launcher in [
        Launcher::Hydra,
        Launcher::Intel,
        Launcher::Slurm,
        Launcher::Flux,
        Launcher::Pals,
        Launcher::Aprun,
        Launcher::Jsrun,
    ] {
        let found = differences(launcher, 1500, 7);
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}

/// A change of a line of srun.
type OfSrun = fn(&mut Slurm);

/// What the plain model is told of a line of srun, by the section of the specification whose rule then is another.
const PLANTED: &[(&str, OfSrun)] = &[
    ("2.4: a hint that counts", |line| line.line.hint = None),
    ("2.4: -B", |line| line.line.extra = None),
    ("2.7: what is inherited", |line| {
        if let Some(job) = &mut line.job {
            job.cpus = None;
        }
    }),
    ("2.7: the hint of the job", |line| {
        if let Some(job) = line.job.as_mut().filter(|job| job.hint.is_some()) {
            job.hint = Some(Hint::Multithread);
        }
    }),
    ("3: -N", |line| line.line.nodes = None),
    ("3: 24.05 is as 23.11", |line| {
        if line.version == 2405 {
            line.version = 2311;
        }
    }),
    ("3: 23.02 is as 22.05", |line| {
        if line.version == 2302 {
            line.version = 2205;
        }
    }),
    ("4: -x", |line| line.line.exclude = None),
    ("4: -r", |line| line.line.relative = None),
    ("4: the order of the nodes", |line| line.nodes.reverse()),
    ("4.1: what the controller counts", |line| {
        line.site.selects = Selects::Linear;
    }),
    ("5: pack", |line| {
        if let Some(own) = &mut line.line.distribution {
            own.packing = Some(Packing::Pack);
        }
    }),
    ("5: the size of a plane", |line| {
        if let Some(Distribution {
            first: First::Plane(size),
            ..
        }) = &mut line.line.distribution
        {
            *size += 1;
        }
    }),
    ("6: --exact", |line| {
        line.line.flags.retain(|flag| *flag != Flag::Exact)
    }),
    ("6: tasks of a core", |line| line.line.per_core = None),
    ("6: the second part", |line| {
        if let Some(own) = &mut line.line.distribution {
            own.second = own.second.or(Some(Second::Fcyclic));
        }
    }),
    ("7: the order of a block", |line| {
        line.site
            .parameters
            .retain(|own| *own != Parameter::DefaultBlock);
    }),
    ("7: the automatic level", |line| line.site.autobind = None),
    ("7: tasks of a socket", |line| line.line.per_socket = None),
    ("8: OS numbers", |line| {
        line.nodes.iter_mut().for_each(|node| node.os.reverse())
    }),
    ("9: which GPUs a rank sees", |line| {
        line.line.gpu_bind = None
    }),
    ("9: near cores", |line| {
        line.nodes.iter_mut().for_each(|node| node.gpus.reverse())
    }),
    ("12: parts of a node", |line| {
        line.nodes.iter_mut().for_each(|node| node.has.fill(true));
    }),
    ("13: -O", |line| {
        line.line.flags.retain(|flag| *flag != Flag::Overcommit)
    }),
    ("15: CPUs are cores", |line| {
        line.nodes
            .iter_mut()
            .for_each(|node| node.counted = node.threads);
    }),
    ("16: 26.05 is as 24.11", |line| {
        if line.version == 2605 {
            line.version = 2411;
        }
    }),
];

/// The same for the other launchers.
const PLANTED_ELSEWHERE: &[(&str, Plant)] = &[
    (
        "hydra 3: slots",
        Plant::Hydra(|line| line.hosts.iter_mut().for_each(|host| host.1 += 1)),
    ),
    ("hydra 3: -ppn", Plant::Hydra(|line| line.per_node = None)),
    (
        "hydra 3: neighbours of one name are one node",
        Plant::Hydra(|line| line.hosts.dedup_by(|host, last| host.0 == last.0)),
    ),
    (
        "hydra 4: the order of the nodes",
        Plant::Hydra(|line| line.hosts.reverse()),
    ),
    (
        "hydra 5: a rank map",
        Plant::Hydra(|line| {
            if let Some(map) = &mut line.rank_map {
                map.reverse();
            }
        }),
    ),
    (
        "hydra 6: -map-by",
        Plant::Hydra(|line| {
            if let Binding::Objects { bind, map } = &mut line.binding {
                *map = *bind;
            }
        }),
    ),
    (
        "hydra 6: how many objects",
        Plant::Hydra(|line| {
            if let Binding::Objects { bind, .. } = &mut line.binding {
                bind.1 += 1;
            }
        }),
    ),
    (
        "hydra 6: the order of a list",
        Plant::Hydra(|line| {
            if let Binding::User(entries) = &mut line.binding {
                entries.reverse();
            }
        }),
    ),
    (
        "hydra 6: rr",
        Plant::Hydra(|line| {
            if line.binding == Binding::InTurn {
                line.binding = Binding::Free;
            }
        }),
    ),
    (
        "intel 3: slots of the launch node",
        Plant::Intel(|line| line.per_host = line.per_host.or(Some(1))),
    ),
    (
        "intel 4: a host that stands twice",
        Plant::Intel(|line| line.hosts.dedup()),
    ),
    (
        "intel 4: the order of the hosts",
        Plant::Intel(|line| line.hosts.reverse()),
    ),
    (
        "intel 5: pins that are off",
        Plant::Intel(|line| {
            if line.domain == Domain::Off {
                line.domain = Domain::Auto;
            }
        }),
    ),
    (
        "intel 5: objects of a kind",
        Plant::Intel(|line| {
            if line.domain == Domain::Kind(ObjKind::Core) {
                line.domain = Domain::Auto;
            }
        }),
    ),
    (
        "intel 5: the size of a block",
        Plant::Intel(|line| {
            if let Domain::Size(size) = &mut line.domain {
                *size += 1;
            }
        }),
    ),
    (
        "intel 5: the order",
        Plant::Intel(|line| line.order = Usual::Yes),
    ),
    (
        "intel 5: the cell",
        Plant::Intel(|line| line.cell = Usual::Yes),
    ),
    (
        "flux 5: cores of a task",
        Plant::Flux(|line| {
            if let Ask::PerTask { cores, .. } = &mut line.ask {
                *cores = 1;
            }
        }),
    ),
    (
        "flux 5: tasks of a core",
        Plant::Flux(|line| {
            if let Ask::PerResource {
                tasks: Tasks::PerCore(each),
                ..
            } = &mut line.ask
            {
                *each += 1;
            }
        }),
    ),
    (
        "flux 6: first is as simple",
        Plant::Flux(|line| {
            if line.policy == Policy::First {
                line.policy = Policy::Simple;
            }
        }),
    ),
    (
        "flux 6: lonodex is as simple",
        Plant::Flux(|line| {
            if line.policy == Policy::Lonodex {
                line.policy = Policy::Simple;
            }
        }),
    ),
    (
        "flux 6: -x",
        Plant::Flux(|line| line.sharing = Sharing::Shared),
    ),
    ("flux 7: a task map", Plant::Flux(|line| line.cyclic = None)),
    (
        "flux 8: the affinity of a task",
        Plant::Flux(|line| {
            if line.affinity == Affinity::PerTask {
                line.affinity = Affinity::On;
            }
        }),
    ),
    (
        "pals 3: -ppn",
        Plant::Pals(|line| line.per_host = line.per_host.map(|each| each + 1)),
    ),
    (
        "pals 3: the order of the hosts",
        Plant::Pals(|line| line.hosts.reverse()),
    ),
    ("pals 4: -d", Plant::Pals(|line| line.depth = 1)),
    (
        "pals 4: depth is by cpus",
        Plant::Pals(|line| {
            if line.bind == Bind::Depth {
                line.bind = Bind::Core;
            }
        }),
    ),
    (
        "pals 4: the order of a list",
        Plant::Pals(|line| {
            if let Bind::List(sets) = &mut line.bind {
                sets.reverse();
            }
        }),
    ),
    (
        "aprun 3: -N",
        Plant::Aprun(|line| line.programs[0].per_node = None),
    ),
    (
        "aprun 3: the order of the nodes",
        Plant::Aprun(|line| line.hosts.reverse()),
    ),
    (
        "aprun 4: -j",
        Plant::Aprun(|line| line.programs[0].threads = 1),
    ),
    (
        "aprun 4: -S",
        Plant::Aprun(|line| line.programs[0].per_numa = None),
    ),
    (
        "aprun 4: -sl",
        Plant::Aprun(|line| line.programs[0].numas = None),
    ),
    (
        "aprun 4: -cc",
        Plant::Aprun(|line| {
            if line.programs[0].bind == aprun::Bind::Numa {
                line.programs[0].bind = aprun::Bind::Dealt;
            }
        }),
    ),
    ("jsrun 2: -p", Plant::Jsrun(|line| line.all_tasks = None)),
    ("jsrun 3: -r", Plant::Jsrun(|line| line.per_host = None)),
    (
        "jsrun 3: the order of the nodes",
        Plant::Jsrun(|line| line.hosts.reverse()),
    ),
    (
        "jsrun 3: where sets are cut",
        Plant::Jsrun(|line| line.latency = Latency::Gpu),
    ),
    (
        "jsrun 3: the package of a GPU",
        Plant::Jsrun(|line| line.gpu_packages.reverse()),
    ),
    (
        "jsrun 4: how ranks are dealt",
        Plant::Jsrun(|line| line.turn = line.turn.map(|_| 1)),
    ),
    (
        "jsrun 4: -b rs",
        Plant::Jsrun(|line| {
            if line.bind == jsrun::Bind::Set {
                line.bind = jsrun::Bind::Packed(1);
            }
        }),
    ),
];

#[test]
fn a_bug_in_any_section_of_srun_is_found() {
    for &(section, plant) in PLANTED {
        assert!(
            found(Plant::Slurm(plant), 20_000, 3),
            "{section}: not one of 20,000 lines differs"
        );
    }
}

#[test]
fn a_bug_in_any_section_of_other_launchers_is_found() {
    for &(section, plant) in PLANTED_ELSEWHERE {
        assert!(
            found(plant, 20_000, 3),
            "{section}: not one of 20,000 lines differs"
        );
    }
}
