//! `indexes=`: OS numbers of the objects of a level, listed or interleaved.

use super::Level;
use super::parse::{group_number, number};
use crate::kind::{self, Kind};
use std::ops::Range;

/// One loop of an interleaving: `nb` steps of `step` objects each.
#[derive(Clone, Copy, Debug)]
struct Loop {
    step: u64,
    nb: u64,
}

/// OS numbers of `total` objects in the order of the description, or `None` if the text does not number them all.
///
/// Cost: `total` times the loops of more than one step, of which there are at most 20.
pub(super) fn numbers(
    text: &[u8],
    place: &Range<usize>,
    total: u32,
    levels: &[Level],
) -> Option<Vec<u32>> {
    let given = &text[place.clone()];
    if given
        .iter()
        .all(|byte| byte.is_ascii_digit() || *byte == b',')
    {
        return listed(given, total);
    }
    let loops = if given.first().is_some_and(u8::is_ascii_digit) {
        stepped(given)?
    } else {
        by_kind(given, total, levels)?
    };
    interleaved(loops, u64::from(total))
}

/// `0,8,1,9`: numbers after the first `total` are ignored.
fn listed(given: &[u8], total: u32) -> Option<Vec<u32>> {
    // A number takes at least two bytes, so nothing is allocated for numbers that are not there.
    if given.len().div_ceil(2) < total as usize {
        return None;
    }
    let mut parts = given.split(|&byte| byte == b',');
    let mut numbers = Vec::with_capacity(total as usize);
    for _ in 0..total {
        let part = std::str::from_utf8(parts.next()?).ok()?;
        // A number that does not fit is too large for any table: the caller reports it.
        numbers.push(match part {
            "" => return None,
            digits => digits.parse().unwrap_or(u32::MAX),
        });
    }
    Some(numbers)
}

/// `2*8:1*2`: step and number of each loop, fastest first.
fn stepped(given: &[u8]) -> Option<Vec<Loop>> {
    given
        .split(|&byte| byte == b':')
        .map(|part| {
            let (step, star) = number(part, 0)?;
            let (nb, end) = number(part, star + 1).filter(|_| part.get(star) == Some(&b'*'))?;
            (end == part.len() && step > 0 && nb > 0).then_some(Loop { step, nb })
        })
        .collect()
}

/// `core:package`: loops over the objects of a kind within the next wider kind that is named.
fn by_kind(given: &[u8], total: u32, levels: &[Level]) -> Option<Vec<Loop>> {
    let inner = &levels[..levels.len() - 1];
    let depths = given
        .split(|&byte| byte == b':')
        .map(|part| {
            let kind = kind::scan(part)?;
            let depth = group_number(part, 0).filter(|_| kind == Kind::Group);
            inner.iter().position(|level| {
                level.kind == Some(kind) && (depth.is_none() || depth == level.group_depth)
            })
        })
        .collect::<Option<Vec<usize>>>()?;
    let mut loops = Vec::with_capacity(depths.len());
    for (place, &depth) in depths.iter().enumerate() {
        // The same kind twice is not an interleaving. Looking back is enough, because one of the two comes later.
        if depths[..place].contains(&depth) {
            return None;
        }
        let wider = depths.iter().copied().filter(|&other| other < depth).max();
        let width = levels[depth].width;
        let step = u64::from(total / width);
        let nb = u64::from(width / levels[wider.unwrap_or(0)].width);
        if step == 0 || nb == 0 {
            return None;
        }
        loops.push(Loop { step, nb });
    }
    Some(loops)
}

fn interleaved(mut loops: Vec<Loop>, total: u64) -> Option<Vec<u32>> {
    let product = loops
        .iter()
        .try_fold(1_u64, |product, one| product.checked_mul(one.nb))?;
    if product != total {
        // The innermost loop may be left out.
        let least = loops.iter().map(|one| one.step).min()?.min(total);
        let rest = total / product;
        if least != rest {
            return None;
        }
        loops.push(Loop { step: 1, nb: rest });
    }
    loops.retain(|one| one.nb > 1);
    let mut numbers = Vec::with_capacity(usize::try_from(total).ok()?);
    for object in 0..total {
        let mut multiple = 1;
        let mut os = 0_u64;
        for one in &loops {
            os += (object / one.step) % one.nb * multiple;
            multiple *= one.nb;
        }
        if os >= total || (os == 0 && object > 0) {
            return None;
        }
        numbers.push(u32::try_from(os).ok()?);
    }
    Some(numbers)
}
