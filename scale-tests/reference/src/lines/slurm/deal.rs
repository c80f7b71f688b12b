//! The node of each rank, one task at a time. Section 5.

use super::{First, Parameter, Scene};
use crate::lines::Class;

fn room(scene: &Scene<'_>, node: usize) -> usize {
    let (asked, own) = (scene.asked, &scene.asked.nodes[node]);
    let mut kk = scene.cpt;
    let mut room = if scene.one_thread() {
        scene.raw[node] / own.threads / kk.max(1)
    } else {
        let q = match asked.version {
            2205 => {
                let site = asked.site.has(Parameter::OneTaskPerCore).then_some(1);
                asked.job_words().per_core.or(site)
            }
            _ => scene.levels.npc,
        };
        let th = scene.tpc.unwrap_or(own.threads);
        if q == Some(1) && kk < th {
            kk = th;
        }
        scene.raw[node] / kk.max(1)
    };
    room = room.max(1);
    if let Some(each) = asked.line.gpus_per_task {
        room = room.min(own.gpus.len() / each);
    }
    match (scene.step.tpn, scene.step.distribution.first) {
        (Some(limit), First::Block | First::Cyclic | First::Arbitrary) => {
            room.min(limit * kk.max(1))
        }
        (Some(_), First::Plane(_)) | (None, _) => room,
    }
}

/// The node of each rank.
pub(super) fn ranks(scene: &Scene<'_>) -> Result<Vec<usize>, Class> {
    let n = scene.step.n;
    let chosen = &scene.chosen;
    let rooms: Vec<usize> = chosen.iter().map(|&node| room(scene, node)).collect();
    let by_node = |counts: &[usize]| {
        let mut ranks = Vec::new();
        for (at, &count) in counts.iter().enumerate() {
            for _ in 0..count {
                ranks.push(chosen[at]);
            }
        }
        ranks
    };
    Ok(match scene.step.distribution.first {
        First::Arbitrary => scene.step.order.clone(),
        First::Block if scene.step.pack => by_node(&pack(&rooms, n)),
        First::Block => by_node(&block(&rooms, n)),
        First::Cyclic => cyclic(&rooms, n).iter().map(|&at| chosen[at]).collect(),
        First::Plane(size) => {
            let counts = plane(&rooms, n, size);
            let mut left = counts.clone();
            let mut ranks = Vec::new();
            while ranks.len() < n {
                for (at, left) in left.iter_mut().enumerate() {
                    for _ in 0..size {
                        if *left > 0 {
                            *left -= 1;
                            ranks.push(chosen[at]);
                        }
                    }
                }
            }
            ranks
        }
    })
}

fn block(rooms: &[usize], n: usize) -> Vec<usize> {
    let mut counts = vec![0; rooms.len()];
    let (mut left, mut round, mut free) = (n, 0, false);
    while left > 0 {
        let mut more = false;
        for (at, &room) in rooms.iter().enumerate() {
            if left > 0 && (free || room > round) {
                counts[at] += 1;
                left -= 1;
            }
            more |= round + 1 < room;
        }
        free |= !more;
        round += 1;
    }
    counts
}

fn cyclic(rooms: &[usize], n: usize) -> Vec<usize> {
    let sum: usize = rooms.iter().sum();
    let more = n.saturating_sub(sum).div_ceil(rooms.len());
    let (mut order, mut round) = (Vec::new(), 0);
    while order.len() < n {
        for (at, &room) in rooms.iter().enumerate() {
            if order.len() < n && room + more > round {
                order.push(at);
            }
        }
        round += 1;
    }
    order
}

fn pack(rooms: &[usize], n: usize) -> Vec<usize> {
    let mut counts = vec![0; rooms.len()];
    let mut left = n;
    for count in &mut counts {
        if left > 0 {
            *count = 1;
            left -= 1;
        }
    }
    for (at, &room) in rooms.iter().enumerate() {
        while left > 0 && counts[at] < room {
            counts[at] += 1;
            left -= 1;
        }
    }
    while left > 0 {
        for count in &mut counts {
            if left > 0 {
                *count += 1;
                left -= 1;
            }
        }
    }
    counts
}

fn plane(rooms: &[usize], n: usize, size: usize) -> Vec<usize> {
    let mut counts = vec![0; rooms.len()];
    let mut left = n;
    for count in &mut counts {
        if left > 0 {
            *count = 1;
            left -= 1;
        }
    }
    let (mut turn, mut free) = (size - 1, false);
    while left > 0 {
        let mut space = false;
        for (at, &room) in rooms.iter().enumerate() {
            for _ in 0..turn {
                if left == 0 || !free && counts[at] == room {
                    break;
                }
                counts[at] += 1;
                left -= 1;
                space |= room > counts[at];
            }
        }
        free |= !space;
        turn = size;
    }
    counts
}
