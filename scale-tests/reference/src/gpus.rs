//! Which GPUs each process gets, one process at a time: `docs/gpus.md`.

use crate::cpus::Cpus;
use crate::devices;
use crate::machine::{Machine, Object};
use crate::refusal::Refusal;
use crate::turn::{Job, Proc};
use std::collections::BTreeMap;
use stowplan_engine::policy::{Devices, GpuShare, MapBy, ObjKind, PprObject};
use stowplan_engine::stage::resolve::Resolved;
use stowplan_engine::table::apps::{AppId, Policy};

/// Whether processes are mapped to GPUs.
fn by_gpu(policy: &Policy) -> bool {
    let devices = policy.map.devices().map(|options| options.of);
    let object = matches!(
        policy.map,
        MapBy::Object(ObjKind::Gpu)
            | MapBy::Ppr {
                on: PprObject::Kind(ObjKind::Gpu),
                ..
            }
    );
    object || devices == Some(Devices::Gpus)
}

/// The GPU that the map names, by its position in logical order.
fn named(policy: &Policy, machine: &Machine) -> Option<usize> {
    let Devices::Named(name) = policy.map.devices()?.of else {
        return None;
    };
    let names = &mut machine.gpu_names.iter();
    names.position(|known| policy.gpus.is_none() && known == name.text())
}

/// Visible numbers of the GPUs of a process that is mapped to one, or to several by `ndev`.
fn mapped(policy: &Policy, machine: &Machine, gpu: u32) -> Vec<u32> {
    let groups = policy
        .map
        .devices()
        .map_or_else(Vec::new, |options| devices::groups(machine, options));
    let group = groups.into_iter().find(|group| group.object.logical == gpu);
    let own = group.map_or_else(|| vec![gpu], |group| group.devices);
    let mut own: Vec<u32> = own
        .iter()
        .map(|&gpu| machine.visible[gpu as usize])
        .collect();
    own.sort_unstable();
    own
}

/// How the near GPUs are dealt to an app's processes. `None`: they get none, or their mapping decides it.
fn words(policy: &Policy) -> Option<GpuShare> {
    match policy.gpus {
        Some(GpuShare::None) => None,
        _ if by_gpu(policy) || matches!(policy.map, MapBy::Mpibind(_)) => None,
        said => Some(said.unwrap_or(GpuShare::Split)),
    }
}

/// Visible numbers of the GPUs of each process, ascending, in the order of `job.procs`.
///
/// # Errors
/// `device-not-found` and `not-enough-gpus`, when an option asks for GPUs.
pub(crate) fn deal(job: &Job<'_>, resolved: &Resolved) -> Result<Vec<Vec<u32>>, Refusal> {
    let apps = &resolved.apps;
    let policy = |app: AppId| apps.policy(app).expect("a process has an app");
    let mut given: Vec<Vec<u32>> = vec![Vec::new(); job.procs.len()];
    let mut few = None;
    for node in 0..job.pool.nodes.len() {
        let machine = job.pool.nodes[node].machine;
        let gpus = machine.objects(ObjKind::Gpu);
        let mut here: Vec<usize> = (0..job.procs.len())
            .filter(|&at| job.procs[at].node == node)
            .collect();
        here.sort_by_key(|&at| job.procs[at].before);
        // Processes with the same words and the same near GPUs, by local rank.
        let mut groups: BTreeMap<(u32, Vec<usize>), Vec<usize>> = BTreeMap::new();
        for at in here {
            let proc = &job.procs[at];
            let own = policy(proc.app);
            if let (true, Some((gpu, _))) = (own.gpus != Some(GpuShare::None), &proc.object)
                && gpu.kind == ObjKind::Gpu
            {
                given[at] = mapped(own, machine, gpu.logical);
            }
            if let Some(gpu) = named(own, machine) {
                given[at] = vec![machine.visible[gpu]];
                continue;
            }
            if let (true, Some(gpus)) = (own.gpus != Some(GpuShare::None), &proc.dealt) {
                given[at] = gpus.iter().map(|&gpu| machine.visible[gpu]).collect();
                given[at].sort_unstable();
            }
            if let Some(share) = words(own) {
                let near = near(proc, gpus, &machine.cpus);
                groups.entry((number(share), near)).or_default().push(at);
            }
        }
        for ((share, near), procs) in groups {
            if near.is_empty() {
                continue;
            }
            for (j, &at) in procs.iter().enumerate() {
                let (m, k) = (near.len(), procs.len());
                if share > 1 && share as usize - 1 > m {
                    few = few.or(Some(share - 1));
                }
                let own = own(share, (m, k), j);
                let mut own: Vec<u32> = own.iter().map(|&gpu| machine.visible[near[gpu]]).collect();
                own.sort_unstable();
                given[at] = own;
            }
        }
    }
    asked_and_there(job, resolved)?;
    match few {
        Some(each) => Refusal::err("not-enough-gpus", format!("{each} for each process")),
        None => Ok(given),
    }
}

/// Gives `device-not-found` when an option asks for GPUs and no node of the app has one.
fn asked_and_there(job: &Job<'_>, resolved: &Resolved) -> Result<(), Refusal> {
    let apps = &resolved.apps;
    for app in apps.ids() {
        let asks = apps
            .policy(app)
            .is_some_and(|policy| policy.gpus.is_some_and(|share| share != GpuShare::None));
        let mut nodes = job
            .procs
            .iter()
            .filter(|proc| proc.app == app)
            .map(|proc| proc.node);
        let has = |node: usize| {
            !job.pool.nodes[node]
                .machine
                .objects(ObjKind::Gpu)
                .is_empty()
        };
        if asks && !nodes.any(has) {
            return Refusal::err("device-not-found", format!("{app:?} asks for GPUs"));
        }
    }
    Ok(())
}

/// The GPUs of the j-th of k processes among m near ones.
fn own(share: u32, (m, k): (usize, usize), j: usize) -> Vec<usize> {
    match share {
        0 if m >= k => block(m, k, j).collect(),
        0 => (0..m)
            .filter(|&gpu| block(k, m, gpu).contains(&j))
            .collect(),
        1 => (0..m).collect(),
        each => {
            let each = each as usize - 1;
            (j * each..j * each + each.min(m))
                .map(|gpu| gpu % m)
                .collect()
        }
    }
}

/// The words as a number: 0 for split, 1 for share, 1 + K for K each.
fn number(share: GpuShare) -> u32 {
    match share {
        GpuShare::Split | GpuShare::None => 0,
        GpuShare::Share => 1,
        GpuShare::PerRank(each) => 1 + u32::from(each),
    }
}

/// The GPUs whose localities meet the cpus of a process; if it is unbound, those of its object; without an object, those of the node.
fn near(proc: &Proc, gpus: &[Object], node: &Cpus) -> Vec<usize> {
    let own = match (&proc.cpus, &proc.object) {
        (Some(cpus), _) => cpus,
        (None, Some((object, _))) => &object.cpus,
        (None, None) => node,
    };
    (0..gpus.len())
        .filter(|&gpu| gpus[gpu].cpus.meets(own))
        .collect()
}

/// Block `at` of things that are dealt to receivers. The larger blocks come first.
pub(crate) fn block(things: usize, receivers: usize, at: usize) -> std::ops::Range<usize> {
    let size = |at: usize| things / receivers + usize::from(at < things % receivers);
    let first = (0..at).map(size).sum();
    first..first + size(at)
}
