//! The cores of a step on a node. Source: `lines/slurm/spec.md` 6 and 9.

use super::distribution::Second;
use super::shape::Shape;

/// Takes cores of a pool that are not yet taken, until `needed` more are; how many are missing.
pub(super) fn take(
    shape: &Shape,
    pool: &[bool],
    taken: &mut [bool],
    needed: u64,
    turn: u64,
    second: Second,
) -> u64 {
    let mut left = needed;
    let is_free = |core: usize, taken: &[bool]| pool[core] && !taken[core];
    let (sockets, cores) = (shape.sockets, shape.cores);
    match second {
        Second::Block | Second::Fcyclic => {
            for place in 0..sockets * cores {
                let core = match second {
                    Second::Fcyclic => place % sockets * cores + place / sockets,
                    Second::Block | Second::Cyclic => place,
                };
                if left > 0 && is_free(core, taken) {
                    taken[core] = true;
                    left -= 1;
                }
            }
        }
        Second::Cyclic => {
            let mut next = vec![0; sockets];
            let mut count = 0;
            while left > 0 && next.iter().any(|&at| at < cores) {
                for (socket, at) in next.iter_mut().enumerate() {
                    while *at < cores && left > 0 {
                        let core = socket * cores + *at;
                        *at += 1;
                        if !is_free(core, taken) {
                            continue;
                        }
                        taken[core] = true;
                        left -= 1;
                        count += 1;
                        if count == turn {
                            count = 0;
                            break;
                        }
                    }
                }
            }
        }
    }
    left
}
