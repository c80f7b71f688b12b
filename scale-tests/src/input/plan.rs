//! Fuzz bodies for plan bytes: any plan that can be read answers every question, is written back the same, and can be judged.

use crate::choices::Choices;
use crate::shapes;
use stowplan::answers::explain::explain;
use stowplan::answers::explain::instead::Alternatives;
use stowplan::answers::verify::verify;
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::map::map_resolved;
use stowplan_engine::plan::Plan;
use stowplan_engine::plan::slice::NodeSlice;
use stowplan_engine::table::names::NodeId;

/// How many ranks and nodes a plan is asked for.
const ASKED: u32 = 64;

/// Reads the bytes as a whole plan, as a broadcast, and as a slice.
pub fn bytes(bytes: &[u8]) {
    if let Ok(plan) = Plan::from_bytes(bytes) {
        let written = plan.to_bytes();
        let again = Plan::from_bytes(&written).expect("what is written can be read");
        assert_eq!(again.to_bytes(), written, "bytes come back");
        ask(&plan);
        // The verdict may be anything, but there must be one.
        let _ = verify(&plan);
        explain_some(&plan);
    }
    if let Ok(plan) = Plan::from_broadcast_bytes(bytes) {
        ask(&plan);
    }
    if let Ok(slice) = NodeSlice::from_bytes(bytes) {
        assert!(slice.procs.iter().all(|proc| proc.rank.0 < slice.ranks));
    }
}

/// Damages sound plans where the first bytes say, and makes the checksum fit again. The frame cannot see this damage, so the code
/// behind it must.
pub fn resealed(bytes: &[u8]) {
    let mut choices = Choices::from_bytes(bytes);
    let policies = [
        "core",
        "slot",
        "node",
        "package:span",
        "ppr:2:numa",
        "pe-list=0-3",
    ];
    let map = policies[choices.below(6) as usize];
    let shape = shapes::regular("fuzz", "package:2 numa:2 core:4 pu:2", 5, 16, "slot");
    let small = shapes::regular("fuzz", "package:2 numa:2 core:4 pu:2", 5, 8, map);
    let shape = if map == "pe-list=0-3" { shape } else { small };
    // The same with GPUs, which have bytes of their own.
    let with_gpus = [
        "gpu",
        "slot",
        "mpibind",
        "device=gpu:ndev=2:shared",
        "device=gpu:interleave=numa:shared",
        "ppr:2:device=gpu",
    ];
    let with_gpus = with_gpus.get(choices.below(12) as usize);
    let shape = with_gpus.map_or(shape, |map| {
        shapes::regular("fuzz", "builtin:perlmutter-gpu", 5, 8, map)
    });
    let Ok(mapped) = map_resolved(shape.resolved, shape.machine) else {
        return;
    };
    let (mut whole, mut sent) = (mapped.plan.to_bytes(), mapped.plan.broadcast_bytes());
    for sealed in [&mut whole, &mut sent] {
        let end = sealed.len() - 4;
        for _ in 0..=choices.below(3) {
            let span = u32::try_from(end - 17).unwrap_or(1).max(1);
            let at = 17 + choices.below(span) as usize;
            sealed[at] = choices.below(256).to_le_bytes()[0];
        }
        seal(sealed);
        self::bytes(sealed);
    }
}

/// Damages each byte of a plan, of its broadcast and of its first node's slice in turn, and makes the checksum fit again.
pub fn each_byte(plan: &Plan) {
    let slice = plan.slice_bytes(NodeId::from_row(0));
    for mut sealed in [plan.to_bytes(), plan.broadcast_bytes(), slice] {
        for at in 17..sealed.len() - 4 {
            let sound = sealed[at];
            let other = [
                0,
                1,
                0x7f,
                0xff,
                sound.wrapping_add(1),
                sound.wrapping_sub(1),
                sound | 0x80,
            ];
            for value in other.into_iter().filter(|&value| value != sound) {
                sealed[at] = value;
                seal(&mut sealed);
                self::bytes(&sealed);
            }
            sealed[at] = sound;
        }
    }
}

/// Writes the checksum that fits the bytes.
fn seal(sealed: &mut [u8]) {
    let end = sealed.len() - 4;
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&sealed[..end]);
    let sum = hasher.finalize().to_le_bytes();
    sealed[end..].copy_from_slice(&sum);
}

/// Why some ranks are where they are: the sentences read every table, and other words are planned again.
fn explain_some(plan: &Plan) {
    if plan.ranks() > 4096 {
        return;
    }
    let others = Alternatives::of_plan(plan);
    for rank in [0, plan.ranks() / 2, plan.ranks().saturating_sub(1)] {
        let _ = explain(plan, Rank(rank), &others);
    }
}

fn ask(plan: &Plan) {
    let step = (plan.ranks() / ASKED).max(1) as usize;
    for rank in (0..plan.ranks()).step_by(step).map(Rank) {
        let at = plan.locate(rank).expect("every rank has a place");
        assert_eq!(plan.rank_of(at), rank, "the place of a rank has that rank");
        let place = plan.place(rank).expect("every rank has a place");
        let _ = plan.world().names.name(place.node);
    }
    let nodes = plan.world().names.len();
    for row in (0..nodes).step_by((nodes / ASKED).max(1) as usize) {
        let node = NodeId::from_row(row as usize);
        let procs = plan.on_node(node).map(|on| u64::from(on.run.procs));
        if procs.sum::<u64>() <= 4096 {
            NodeSlice::from_bytes(&plan.slice_bytes(node)).expect("a slice can be read");
        }
    }
    if plan.ranks() <= 1 << 16 {
        assert_eq!(plan.expand().len(), plan.ranks() as usize);
    }
}
