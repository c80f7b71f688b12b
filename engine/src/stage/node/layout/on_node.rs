//! Layouts: the processes of one node, in the order of a policy.

use super::builder::LayoutBuilder;
use super::mpibind;
use super::pe_list::lay_list;
use crate::stage::node::cpus::Cpus;
use crate::stage::node::layout::{Binding, Laid, Layout, LayoutView};

/// Lays `want` processes on a node with the cpus `cpus`, where `placed` processes of the app are already.
pub(crate) fn place_on_node(
    node: &LayoutView<'_>,
    layout: Layout,
    cpus: Cpus,
    placed: u32,
    want: u32,
) -> Laid {
    let mut builder = LayoutBuilder::new(node, cpus, want);
    let end = match layout {
        Layout::Plain(Binding::Off) => builder.unbound(None),
        Layout::Plain(Binding::On) => builder.plain(),
        Layout::HalfBound(first) => builder.half_bound(first),
        Layout::Sweep(Binding::Off) | Layout::Walk(Binding::Off) => {
            builder.unbound_round(placed, layout)
        }
        Layout::Sweep(Binding::On) => builder.sweep(),
        // One process an object: both are one sweep.
        Layout::Walk(Binding::On) if node.binder.policy.map.one_each() => builder.sweep(),
        Layout::Walk(Binding::On) => builder.walk(placed),
        Layout::Blocks(per, binding) => builder.blocks(per, binding),
        Layout::List(binding) => lay_list(&mut builder, binding),
        Layout::Chosen(_, binding) => builder.chosen(binding),
        Layout::Mpibind(procs) => mpibind::lay(&mut builder, procs),
    };
    builder.finish(end)
}
