//! Random lines of launchers, against their plain models.

use stowplan_reference::lines::slurm::{
    Distribution, First, Flag, Hint, Packing, Parameter, Second, Selects, Slurm,
};
use stowplan_scale_tests::lines::{Launcher, differences, found_by_slurm};

#[test]
fn lines_land_where_the_plain_models_put_them() {
    for launcher in [
        Launcher::Hydra,
        Launcher::Intel,
        Launcher::Slurm,
        Launcher::Flux,
        Launcher::Pals,
    ] {
        let found = differences(launcher, 1500, 7);
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}

/// What the plain model is told instead of a line.
type Plant = fn(&mut Slurm);

/// What the plain model is told, by the section of the specification whose rule then is another.
const PLANTED: &[(&str, Plant)] = &[
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

#[test]
fn a_bug_in_any_section_of_srun_is_found() {
    for (section, plant) in PLANTED {
        assert!(
            found_by_slurm(plant, 20_000, 3),
            "{section}: not one of 20,000 lines differs"
        );
    }
}
