//! The nodes of a cluster: added and removed, up and down, and what is free of them.

use crate::answer::{count, list_with, say};
use crate::cluster::{StowCluster, numbers};
use crate::constants::{STOW_STANDING_DOWN, STOW_STANDING_DRAINED, STOW_STANDING_UP};
use crate::fail::Fail;
use crate::machine::StowMachine;
use crate::pointer::{Out, Room, Space, change, read, text};
use crate::refusal::StowError;
use crate::status::call_with;
use crate::topology::StowTopology;
use face::{Cluster, ClusterNode, Standing};
use std::ffi::c_char;

/// Adds nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_add_nodes(
    cluster: *mut StowCluster,
    hosts: *const c_char,
    len: usize,
    machine: *const StowMachine,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (cluster, hosts) = unsafe { (change(cluster)?, text(hosts, len)?) };
        if machine.is_null() {
            return Ok(cluster.change().add_nodes(hosts)?);
        }
        // SAFETY: the caller guarantees it.
        let machine = unsafe { read(machine) }?;
        Ok(cluster.change().add_nodes_of(hosts, &machine.0)?)
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Changes the nodes of a host list.
unsafe fn nodes_of(
    cluster: *mut StowCluster,
    (hosts, len): (*const c_char, usize),
    error: *mut *mut StowError,
    act: impl FnOnce(&mut Cluster, &str) -> Result<(), face::Error>,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (cluster, hosts) = unsafe { (change(cluster)?, text(hosts, len)?) };
        Ok(act(cluster.change(), hosts)?)
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Removes nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_remove(
    cluster: *mut StowCluster,
    hosts: *const c_char,
    len: usize,
    error: *mut *mut StowError,
) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { nodes_of(cluster, (hosts, len), error, Cluster::remove) }
}

/// Says that nodes failed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_down(
    cluster: *mut StowCluster,
    hosts: *const c_char,
    len: usize,
    error: *mut *mut StowError,
) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { nodes_of(cluster, (hosts, len), error, Cluster::down) }
}

/// Says that jobs may start on nodes again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_up(
    cluster: *mut StowCluster,
    hosts: *const c_char,
    len: usize,
    error: *mut *mut StowError,
) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { nodes_of(cluster, (hosts, len), error, Cluster::up) }
}

/// Says that no job starts on nodes any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_drain(
    cluster: *mut StowCluster,
    hosts: *const c_char,
    len: usize,
    error: *mut *mut StowError,
) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { nodes_of(cluster, (hosts, len), error, Cluster::drain) }
}

/// Says that a node failed, and which jobs that hits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_lose(
    cluster: *mut StowCluster,
    node: *const c_char,
    len: usize,
    jobs: *mut u64,
    capacity: usize,
    needed: *mut usize,
    error: *mut *mut StowError,
) -> u32 {
    let space = Space::new(jobs, capacity, needed);
    let work = || {
        // SAFETY: the caller guarantees it.
        let (cluster, node, room) =
            unsafe { (change(cluster)?, text(node, len)?, Room::new(&space)?) };
        // The caller learns which jobs it hits, or nothing changes.
        room.put(&numbers(cluster.cluster.jobs_on(node)?))?;
        cluster.change().lose(node)?;
        Ok(())
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// How many nodes there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_nodes(cluster: *const StowCluster) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe { count(cluster, |cluster| cluster.cluster.nodes().len()) }
}

/// The name of a node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_node_name(
    cluster: *const StowCluster,
    node: u32,
    out: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe {
        say(cluster, space, |cluster| {
            cluster.names().get(node as usize).ok_or_else(|| {
                let nodes = cluster.names().len();
                Fail::NotFound(format!("there is no node {node}; the cluster has {nodes}"))
            })
        })
    }
}

fn known<'c>(cluster: &'c StowCluster, name: &str) -> Result<ClusterNode<'c>, Fail> {
    // The refusal is that of the library.
    cluster.cluster.free_slots(name)?;
    let gone = || Fail::NotFound(format!("there is no node {name}"));
    cluster.cluster.node(name).ok_or_else(gone)
}

/// A number of a node.
unsafe fn number(
    cluster: *const StowCluster,
    (node, len): (*const c_char, usize),
    out: *mut u32,
    error: *mut *mut StowError,
    number: impl FnOnce(ClusterNode<'_>) -> Result<u32, Fail>,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (cluster, node, out) = unsafe { (read(cluster)?, text(node, len)?, Out::new(out)?) };
        out.put(number(known(cluster, node)?)?)
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// How a node stands.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_standing(
    cluster: *const StowCluster,
    node: *const c_char,
    len: usize,
    out: *mut u32,
    error: *mut *mut StowError,
) -> u32 {
    let told = |node: ClusterNode<'_>| {
        Ok(match node.standing() {
            Standing::Up => STOW_STANDING_UP,
            Standing::Down => STOW_STANDING_DOWN,
            Standing::Drained => STOW_STANDING_DRAINED,
        })
    };
    // SAFETY: the caller guarantees it.
    unsafe { number(cluster, (node, len), out, error, told) }
}

/// The slots of a node, taken ones too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_slots(
    cluster: *const StowCluster,
    node: *const c_char,
    len: usize,
    out: *mut u32,
    error: *mut *mut StowError,
) -> u32 {
    let told = |node: ClusterNode<'_>| Ok(node.slots());
    // SAFETY: the caller guarantees it.
    unsafe { number(cluster, (node, len), out, error, told) }
}

/// How many processes a node may hold at most.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_max_slots(
    cluster: *const StowCluster,
    node: *const c_char,
    len: usize,
    out: *mut u32,
    error: *mut *mut StowError,
) -> u32 {
    let told = |node: ClusterNode<'_>| {
        let unlimited = || Fail::NotFound("it may hold any number of processes".to_owned());
        node.max_slots().ok_or_else(unlimited)
    };
    // SAFETY: the caller guarantees it.
    unsafe { number(cluster, (node, len), out, error, told) }
}

/// The slots of a node that no process has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_free_slots(
    cluster: *const StowCluster,
    node: *const c_char,
    len: usize,
    out: *mut u32,
    error: *mut *mut StowError,
) -> u32 {
    let told = |node: ClusterNode<'_>| Ok(node.free_slots());
    // SAFETY: the caller guarantees it.
    unsafe { number(cluster, (node, len), out, error, told) }
}

/// The processes on a node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_procs(
    cluster: *const StowCluster,
    node: *const c_char,
    len: usize,
    out: *mut u32,
    error: *mut *mut StowError,
) -> u32 {
    let told = |node: ClusterNode<'_>| Ok(node.procs());
    // SAFETY: the caller guarantees it.
    unsafe { number(cluster, (node, len), out, error, told) }
}

/// Several numbers of a node.
unsafe fn numbers_of<T: Copy>(
    cluster: *const StowCluster,
    (node, len): (*const c_char, usize),
    space: Space<T>,
    error: *mut *mut StowError,
    numbers: impl FnOnce(&Cluster, &str) -> Result<Vec<T>, face::Error>,
) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe {
        list_with(cluster, space, error, |own: &StowCluster| {
            Ok(numbers(&own.cluster, text(node, len)?)?)
        })
    }
}

/// The cpus of a node that no process took.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_free_cpus(
    cluster: *const StowCluster,
    node: *const c_char,
    len: usize,
    out: *mut u32,
    capacity: usize,
    needed: *mut usize,
    error: *mut *mut StowError,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe { numbers_of(cluster, (node, len), space, error, Cluster::free_cpus) }
}

/// The GPUs of a node that no job holds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_free_gpus(
    cluster: *const StowCluster,
    node: *const c_char,
    len: usize,
    out: *mut u32,
    capacity: usize,
    needed: *mut usize,
    error: *mut *mut StowError,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    // SAFETY: the caller guarantees it.
    unsafe { numbers_of(cluster, (node, len), space, error, Cluster::free_gpus) }
}

/// The jobs that have processes on a node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_jobs_on(
    cluster: *const StowCluster,
    node: *const c_char,
    len: usize,
    out: *mut u64,
    capacity: usize,
    needed: *mut usize,
    error: *mut *mut StowError,
) -> u32 {
    let space = Space::new(out, capacity, needed);
    let jobs = |cluster: &Cluster, node: &str| cluster.jobs_on(node).map(numbers);
    // SAFETY: the caller guarantees it.
    unsafe { numbers_of(cluster, (node, len), space, error, jobs) }
}

/// The hardware of a node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_cluster_topology(
    cluster: *const StowCluster,
    node: *const c_char,
    len: usize,
    out: *mut *mut StowTopology,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (cluster, node, out) = unsafe { (read(cluster)?, text(node, len)?, Out::new(out)?) };
        out.give(StowTopology(known(cluster, node)?.topology()))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}
