//! The layout of a pe-list: which of the listed cpus each process gets. Source: `semantics` 4.7.

use super::sweep::LayoutBuilder;
use crate::policy::{Ordered, Overload};
use crate::stage::node::bind::{Failure, Mask, Target};
use crate::stage::node::bits::{self, Bits, Window, narrow};
use crate::stage::node::capacity::TopologyView;
use crate::stage::node::layout::{Binding, End};

/// How a list holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hold {
    /// Each cpu serves one process.
    Once,
    /// Cpus may be shared: the list starts again behind its end.
    Again,
    /// A default binding was given up: the list serves as it is, and what comes behind its end is unbound.
    GivenUp,
}

/// Lays the processes of one pass.
pub(super) fn lay_list(builder: &mut LayoutBuilder<'_>, binding: Binding) -> Result<(), End> {
    let binder = &builder.node.view.binder;
    if matches!(binder.target, Target::Nothing) {
        return builder.unbound();
    }
    let hold = match (binding, binder.policy.overload) {
        (Binding::Off, _) => Hold::GivenUp,
        (Binding::On, Overload::Allowed) => Hold::Again,
        (Binding::On, Overload::Refused) => Hold::Once,
    };
    match binder.policy.ordered {
        Ordered::No => lay_shared(builder, hold)?,
        Ordered::Yes => lay_ordered(builder, hold)?,
    }
    match hold {
        Hold::GivenUp => return builder.unbound(),
        Hold::Again if builder.left() > 0 => builder.come_round(0),
        Hold::Again | Hold::Once => {}
    }
    Ok(())
}

/// All get the same cpus: those of the list that are free, or the whole list. The i-th consumes one.
fn lay_shared(builder: &mut LayoutBuilder<'_>, hold: Hold) -> Result<(), End> {
    let TopologyView { binder, listed, .. } = builder.node.view;
    let is_free = |&&unit: &&u32| bits::has(builder.cpus.units.words(), unit);
    let free = listed.iter().filter(is_free).count();
    let whole = hold == Hold::GivenUp || (hold == Hold::Again && free == 0);
    let mut mask = Bits::none(binder.hardware.pus);
    for unit in listed.iter().filter(|unit| whole || is_free(unit)) {
        mask.add(binder.units.pus(*unit));
    }
    mask.intersect(builder.node.sets.allowed);
    let all = mask.count();
    let mut packages = binder.packages.iter();
    if !packages.any(|package| bits::count_of(mask.words(), package) == all) {
        return Err(End::Fails(Failure::SpanPackages));
    }
    let room = match hold {
        Hold::Once => free,
        Hold::Again | Hold::GivenUp => listed.len(),
    };
    let count = narrow(room).min(builder.left());
    // The i-th process consumes the i-th of the list, be it free or not.
    for &unit in &listed[..count as usize] {
        binder.consume(&mut builder.cpus, unit);
    }
    let mask = Window::of(&mask);
    builder.push(count, None, Some(Mask::Some(Box::new(mask))));
    Ok(())
}

/// The i-th gets the i-th of the list, alone.
fn lay_ordered(builder: &mut LayoutBuilder<'_>, hold: Hold) -> Result<(), End> {
    let TopologyView { binder, listed, .. } = builder.node.view;
    for &unit in listed.iter().take(builder.left() as usize) {
        if hold == Hold::Once && !bits::has(builder.cpus.units.words(), unit) {
            return Err(End::Fails(Failure::ListedTaken(unit)));
        }
        binder.consume(&mut builder.cpus, unit);
        let mask = Window::part(builder.node.sets.allowed, binder.units.pus(unit));
        builder.push(1, None, Some(Mask::Some(Box::new(mask))));
    }
    Ok(())
}
