//! The layout of a pe-list: which of the listed cpus each process gets. Source: `semantics` 4.7.

use super::bind::{Failure, Mask, Target};
use super::pattern::{Binding, End, Row};
use crate::policy::{Ordered, Overload};
use crate::table::pusets::PuBits;

/// Lays the processes of one pass.
pub(crate) fn lay_list(row: &mut Row<'_>, binding: Binding) -> End {
    let binder = row.ground.binder;
    if matches!(binder.target, Target::Nothing) {
        return row.unbound(None);
    }
    let listed = row.ground.listed;
    let overload = binder.policy.overload == Overload::Allowed;
    let free: Vec<u32> = listed
        .iter()
        .copied()
        .filter(|&unit| row.cpus.units[unit as usize])
        .collect();
    let given_up = binding == Binding::Off;
    let share: &[u32] = if given_up || (overload && free.is_empty()) {
        listed
    } else {
        &free
    };
    match (binder.policy.ordered, overload && !given_up) {
        (Ordered::No, sharing) => {
            let mask = mask_of(row, share);
            if !given_up && !in_one_package(row, &mask) {
                return End::Fails(Failure::SpanPackages);
            }
            let each = if given_up || sharing { listed } else { share };
            lay_shared(row, &mask, each, sharing)
        }
        (Ordered::Yes, sharing) => lay_ordered(row, listed, sharing || given_up),
    }
    .map_or_else(|end| end, |()| behind_the_list(row, given_up))
}

/// All get the same cpus; the i-th consumes the i-th of `each`.
fn lay_shared(row: &mut Row<'_>, mask: &PuBits, each: &[u32], sharing: bool) -> Result<(), End> {
    let binder = row.ground.binder;
    let count = u32::try_from(each.len())
        .expect("a list is checked to be short")
        .min(row.left());
    for &unit in &each[..count as usize] {
        binder.consume(&mut row.cpus, unit);
    }
    row.push(count, None, Some(Mask::Bits(mask.clone())));
    if sharing && row.left() > 0 {
        row.come_round(0);
    }
    if row.left() == 0 {
        Err(End::Wanted)
    } else {
        Ok(())
    }
}

/// The i-th gets the i-th of the list, alone.
fn lay_ordered(row: &mut Row<'_>, listed: &[u32], taken_too: bool) -> Result<(), End> {
    let binder = row.ground.binder;
    for &unit in listed {
        if row.left() == 0 {
            return Err(End::Wanted);
        }
        if !row.cpus.units[unit as usize] && !taken_too {
            return Err(End::Fails(Failure::ListedTaken(unit)));
        }
        binder.consume(&mut row.cpus, unit);
        let mask = mask_of(row, &[unit]);
        row.push(1, None, Some(Mask::Bits(mask)));
    }
    if taken_too && binder.policy.overload == Overload::Allowed && row.left() > 0 {
        row.come_round(0);
    }
    if row.left() == 0 {
        Err(End::Wanted)
    } else {
        Ok(())
    }
}

/// What comes behind the end of the list: nothing more, or unbound when the binding was given up.
fn behind_the_list(row: &mut Row<'_>, given_up: bool) -> End {
    if given_up {
        row.unbound(None)
    } else {
        End::Full
    }
}

fn mask_of(row: &Row<'_>, units: &[u32]) -> PuBits {
    let binder = row.ground.binder;
    let mut mask = PuBits::repeat(false, binder.hardware.pus as usize);
    for &(first, end) in units.iter().flat_map(|&unit| binder.units.pus(unit)) {
        let range = first as usize..end as usize;
        mask[range.clone()].copy_from_bitslice(&row.ground.allowed[range]);
    }
    mask
}

fn in_one_package(row: &Row<'_>, mask: &PuBits) -> bool {
    let inside = |package: &super::hardware::Stretches| {
        let count: usize = package
            .iter()
            .map(|&(first, end)| mask[first as usize..end as usize].count_ones())
            .sum();
        count == mask.count_ones()
    };
    row.ground.binder.packages().iter().any(inside)
}
