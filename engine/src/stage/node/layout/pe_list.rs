//! The layout of a pe-list: which of the listed cpus each process gets. Source: `semantics` 4.7.

use super::builder::LayoutBuilder;
use crate::policy::{Ordered, Overload};
use crate::stage::node::bind::{Failure, Mask, Target};
use crate::stage::node::bits::{self, Bits, There, has};
use crate::stage::node::layout::{Binding, End};
use crate::stage::node::units::narrow;
use crate::stage::node::window::Window;

/// How listed cpus are given out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hold {
    /// Each cpu serves one process.
    Once,
    /// Cpus may be shared: the list starts again after its end.
    Again,
    /// A default binding was given up: the list is used as it is, and processes after its end are unbound.
    GivenUp,
}

/// Lays the processes of one pass.
pub(crate) fn lay_list(builder: &mut LayoutBuilder<'_>, binding: Binding) -> End {
    let binder = builder.node.binder;
    if matches!(binder.target, Target::Nothing) {
        return builder.unbound(None);
    }
    let hold = match (binding, binder.policy.overload) {
        (Binding::Off, _) => Hold::GivenUp,
        (Binding::On, Overload::Allowed) => Hold::Again,
        (Binding::On, Overload::Refused) => Hold::Once,
    };
    let units = builder.node.pe_list;
    let laid = match binder.policy.ordered {
        Ordered::No => lay_shared(builder, units, hold),
        Ordered::Yes => lay_ordered(builder, units, hold),
    };
    if let Some(end) = laid {
        return end;
    }
    if builder.left() == 0 {
        return End::Wanted;
    }
    match hold {
        Hold::Once => End::Full,
        Hold::Again => {
            builder.come_round(0);
            End::Wanted
        }
        Hold::GivenUp => builder.unbound(None),
    }
}

/// All processes get the same cpus: those of the list that are free, or the whole list. Each consumes one cpu.
fn lay_shared(builder: &mut LayoutBuilder<'_>, units: &[u32], hold: Hold) -> Option<End> {
    let binder = builder.node.binder;
    let free: Vec<u32> = units
        .iter()
        .copied()
        .filter(|&unit| has(builder.cpus.units.words(), unit))
        .collect();
    let whole = hold == Hold::GivenUp || (hold == Hold::Again && free.is_empty());
    let mask = mask_of(builder, if whole { units } else { &free });
    if !in_one_package(builder, &mask) {
        return Some(End::Fails(Failure::SpanPackages));
    }
    let room = if hold == Hold::Once {
        free.len()
    } else {
        units.len()
    };
    let count = narrow(room).min(builder.left());
    // The i-th process consumes the i-th cpu of the list, free or not.
    for &unit in &units[..count as usize] {
        binder.consume(&mut builder.cpus, unit);
    }
    builder.push(count, None, Some(Mask::Some(Box::new(Window::of(&mask)))));
    None
}

/// The i-th process gets the i-th cpu of the list alone.
fn lay_ordered(builder: &mut LayoutBuilder<'_>, units: &[u32], hold: Hold) -> Option<End> {
    let binder = builder.node.binder;
    for &unit in units.iter().take(builder.left() as usize) {
        if hold == Hold::Once && !has(builder.cpus.units.words(), unit) {
            return Some(End::Fails(Failure::ListedTaken(unit)));
        }
        binder.consume(&mut builder.cpus, unit);
        let mask = Window::part(&binder.units.pus(unit), builder.node.sets.allowed);
        builder.push(1, None, Some(Mask::Some(Box::new(mask))));
    }
    None
}

fn mask_of(builder: &LayoutBuilder<'_>, units: &[u32]) -> Bits {
    let binder = builder.node.binder;
    let mut mask = Bits::none(binder.hardware.pus);
    for &unit in units {
        for &pus in &binder.units.pus(unit) {
            mask.fill(pus, There::Yes);
        }
    }
    mask.intersect(builder.node.sets.allowed);
    mask
}

fn in_one_package(builder: &LayoutBuilder<'_>, mask: &Bits) -> bool {
    let all = mask.count();
    let packages = builder.node.binder.packages();
    packages
        .iter()
        .any(|package| bits::count_of(mask.words(), package) == all)
}
