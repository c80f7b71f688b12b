//! Slurm: the nodes and tasks of the job, or of each component if there are several.
//!
//! `slurm_lists.rs` reads its lists: of counts, and of hosts by `engine/src/text/hostlist.rs`.

use super::slurm_lists::{counts, hosts as names};
use super::{BadEnvironment, Found, Lookup, Unused, number, set};

/// The most components that a job may have.
const COMPONENTS_MAX: u64 = 1024;

pub(super) fn hosts(lookup: &dyn Lookup) -> Result<Found, BadEnvironment> {
    let mut found = Found {
        unused: unused(lookup),
        ..Found::default()
    };
    let Some(size) = set(lookup, "SLURM_HET_SIZE") else {
        found.source = "SLURM_JOB_NODELIST".to_owned();
        component(lookup, "", &mut found)?;
        return Ok(found);
    };
    let components = number("SLURM_HET_SIZE", &size)?;
    if components > COMPONENTS_MAX {
        let why = "more components than a job can have";
        return Err(BadEnvironment::broken("SLURM_HET_SIZE", &size, why));
    }
    found.source = format!("SLURM_JOB_NODELIST_HET_GROUP_0 to _{}", components - 1);
    if components == 1 {
        "SLURM_JOB_NODELIST_HET_GROUP_0".clone_into(&mut found.source);
    }
    for component_number in 0..components {
        component(
            lookup,
            &format!("_HET_GROUP_{component_number}"),
            &mut found,
        )?;
    }
    Ok(found)
}

/// Variables that place in an srun line and not beside prterun's words, with ours.
fn unused(lookup: &dyn Lookup) -> Vec<Unused> {
    let mut unused = Vec::new();
    let mut say = |name: &str, word: &dyn Fn(&str) -> Option<String>| {
        if let Some(value) = set(lookup, name)
            && let Some(word) = word(&value)
        {
            let said = format!("{name}={value}");
            unused.push(Unused { said, word });
        }
    };
    say("SLURM_CPUS_PER_TASK", &|each| {
        (each != "1").then(|| format!("--map-by :pe={each} gives each process so many"))
    });
    say("SLURM_DISTRIBUTION", &|order| {
        let word = match order.split([':', ',', '=']).next().unwrap_or(order) {
            "cyclic" => "--map-by node",
            "arbitrary" => return None,
            "plane" => "no word deals planes, an srun line does",
            "block" => return None,
            _ => "an srun line is placed by it",
        };
        Some(word.to_owned())
    });
    say("SLURM_HINT", &|hint| {
        let word = match hint {
            "multithread" => "--map-by :hwtcpus counts hardware threads",
            "memory_bound" => "--map-by package deals processes over packages",
            "nomultithread" | "compute_bound" => "--map-by :corecpus counts cores",
            _ => "an srun line is placed by it",
        };
        Some(word.to_owned())
    });
    for (name, object) in [
        ("SLURM_NTASKS_PER_CORE", "core"),
        ("SLURM_NTASKS_PER_SOCKET", "package"),
        ("SLURM_NTASKS_PER_GPU", "gpu"),
    ] {
        say(name, &|each| {
            Some(format!(
                "--map-by ppr:{each}:{object} places so many on each"
            ))
        });
    }
    say("SLURM_THREADS_PER_CORE", &|threads| {
        (threads != "1").then(|| "--map-by :hwtcpus counts hardware threads".to_owned())
    });
    say("SLURM_OVERCOMMIT", &|on| {
        let off = matches!(on, "0" | "no" | "NO");
        (!off).then(|| "--map-by :oversubscribe takes more processes than slots".to_owned())
    });
    say("SLURM_GPU_BIND", &|_| {
        Some("--gpus split deals the GPUs of a node, and an srun line is bound by it".to_owned())
    });
    say("SLURM_GPUS_PER_TASK", &|_| {
        Some("--gpus split deals the GPUs of a node to its processes".to_owned())
    });
    say("SLURM_HOSTFILE", &|file| {
        Some(format!("--map-by seq:file={file} goes by its hosts"))
    });
    for name in ["SLURM_CPU_BIND", "SLURM_CPU_BIND_LIST"] {
        say(name, &|bind| {
            let bound = !matches!(bind, "quiet" | "verbose" | "quiet,mask_cpu:" | "");
            bound.then(|| "--bind-to, or an srun line, which is bound by it".to_owned())
        });
    }
    for name in ["SLURM_JOB_GPUS", "SLURM_STEP_GPUS"] {
        say(name, &|gpus| {
            Some(format!("--devices gpu=only:{gpus} keeps these GPUs alone"))
        });
    }
    unused
}

/// Reads one component; its variables have this suffix.
fn component(lookup: &dyn Lookup, end: &str, found: &mut Found) -> Result<(), BadEnvironment> {
    let list = format!("SLURM_JOB_NODELIST{end}");
    let text = set(lookup, &list)
        .ok_or_else(|| BadEnvironment(format!("{list}: it is not set, or empty")))?;
    let hosts = names(&list, &text)?;
    let tasks = format!("SLURM_TASKS_PER_NODE{end}");
    let slots = if let Some(text) = set(lookup, &tasks) {
        let cpus = format!("SLURM_JOB_CPUS_PER_NODE{end}");
        if let Some(text) = set(lookup, &cpus)
            && let Ok(each) = counts(&cpus, &text, hosts.len())
        {
            for (host, cpus) in hosts.iter().zip(each) {
                if !found.cpus.iter().any(|(_, known)| *known == cpus) {
                    found.cpus.push((host.clone(), cpus));
                }
            }
        }
        counts(&tasks, &text, hosts.len())?
    } else {
        let cpus = format!("SLURM_JOB_CPUS_PER_NODE{end}");
        let text = set(lookup, &cpus)
            .ok_or_else(|| BadEnvironment(format!("{tasks} and {cpus}: neither is set")))?;
        let each = format!("SLURM_CPUS_PER_TASK{end}");
        let per_task = set(lookup, &each).map_or(Ok(1), |text| number(&each, &text))?;
        let counts = counts(&cpus, &text, hosts.len())?;
        counts.iter().map(|cpus| (cpus / per_task).max(1)).collect()
    };
    for (host, slots) in hosts.iter().zip(slots) {
        found.hosts.add(host, slots, &list)?;
    }
    Ok(())
}
