//! Layouts: one node, its processes, in the order of a policy.

use super::mpibind;
use super::pe_list::lay_list;
use super::sweep::Row;
use crate::stage::node::bind::Cpus;
use crate::stage::node::layout::{Binding, Ground, Laid, Layout};

/// Lays `want` processes on a node whose cpus are `cpus`, `placed` processes of the app being there already.
pub(crate) fn lay(ground: &Ground<'_>, layout: Layout, cpus: Cpus, placed: u32, want: u32) -> Laid {
    let mut row = Row::new(ground, cpus, want);
    let end = match layout {
        Layout::Plain(Binding::Off) => row.unbound(None),
        Layout::Plain(Binding::On) => row.plain(),
        Layout::HalfBound(first) => row.half_bound(first),
        Layout::Sweep(Binding::Off) | Layout::Walk(Binding::Off) => {
            row.unbound_round(placed, layout)
        }
        Layout::Sweep(Binding::On) => row.sweep(),
        Layout::Walk(Binding::On) => row.walk(placed),
        Layout::Blocks(per, binding) => row.blocks(per, binding),
        Layout::List(binding) => lay_list(&mut row, binding),
        Layout::Written(_, binding) => row.written(binding),
        Layout::Mpibind(procs) => mpibind::lay(&mut row, procs),
    };
    row.finish(end)
}
