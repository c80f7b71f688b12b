//! The bugs to plant: each has a name, a place in the engine, and the text to write there.

/// A bug to plant.
pub(crate) struct Mutant {
    /// What goes wrong.
    pub(crate) name: &'static str,
    /// The file, from the root of the project.
    pub(crate) file: &'static str,
    /// The text of the place; it occurs once in the file.
    pub(crate) from: &'static str,
    /// The text to write instead.
    pub(crate) to: &'static str,
}

/// The bugs.
pub(crate) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "what is left of GPUs is dealt to nobody",
        file: "engine/src/plan/gpus/deal.rs",
        from: "(first, first + each + u32::from(at < more))",
        to: "(first, first + each)",
    },
    Mutant {
        name: "a GPU is near only those whose cpus it has all",
        file: "engine/src/plan/gpus/near.rs",
        from: "Some(mask) => !locality.is_disjoint(mask),",
        to: "Some(mask) => mask.is_subset(locality),",
    },
    Mutant {
        name: "interleave keeps the devices of an object together",
        file: "engine/src/table/device_order.rs",
        from: "rows.sort_by_key(|&(turn, group, _)| (turn, group));",
        to: "rows.sort_by_key(|&(turn, group, _)| (group, turn));",
    },
    Mutant {
        name: "devices go by logical number",
        file: "engine/src/table/device_order.rs",
        from: "    ordered.sort_by_key(|&(turn, _)| turn);\n",
        to: "",
    },
    Mutant {
        name: "a device has a second process",
        file: "engine/src/stage/node/layout/builder.rs",
        from: "            if self.node.binder.policy.map.one_each() {\n                return",
        to: "            if self.node.binder.policy.map.one_each() && self.procs > 4 {\n                return",
    },
    Mutant {
        name: "a process that cannot be bound near its device goes to the next node",
        file: "engine/src/stage/place/by_object.rs",
        from: "(End::Fails(_), Span::No) => procs + 1,",
        to: "(End::Fails(_), Span::No) => procs,",
    },
    Mutant {
        name: "mpibind forgets the largest remainders",
        file: "engine/src/stage/node/layout/mpibind.rs",
        from: "order.sort_by_key(|&at| std::cmp::Reverse(share(weights[at]) % total));",
        to: "order.sort_by_key(|&at| share(weights[at]) % total);",
    },
    Mutant {
        name: "the even split gives one to too many",
        file: "engine/src/stage/place/share.rs",
        from: ".saturating_sub(at)\n        .min(u64::from(nodes));",
        to: ".saturating_sub(at.saturating_sub(1))\n        .min(u64::from(nodes));",
    },
    Mutant {
        name: "the last round is dealt one short",
        file: "engine/src/stage/place/share.rs",
        from: "(more, round_robin.rounds + 1),",
        to: "(more, round_robin.rounds),",
    },
    Mutant {
        name: "a run of nodes is filled one short",
        file: "engine/src/stage/place/share.rs",
        from: "[(full, share.cap), (1, last), (share.nodes - full - 1, 0)]",
        to: "[(full, share.cap), (1, last - 1), (share.nodes - full - 1, 0)]",
    },
    Mutant {
        name: "nodes that are full in these rounds are taken for open",
        file: "engine/src/stage/place/share.rs",
        from: "if share.cap <= round_robin.rounds {",
        to: "if share.cap < round_robin.rounds {",
    },
    Mutant {
        name: "SPAN is lost",
        file: "engine/src/stage/place/by_object.rs",
        from: "match placement.policy.span {",
        to: "match (if placement.asked > 3 { Span::No } else { placement.policy.span }) {",
    },
    Mutant {
        name: "a short app is not refused",
        file: "engine/src/stage/place/mod.rs",
        from: "if short && policy.oversubscribe == Oversubscribe::Refused {",
        to: "if short && procs.0 > 64 && policy.oversubscribe == Oversubscribe::Refused {",
    },
    Mutant {
        name: "a default binding is kept though slots lack",
        file: "engine/src/stage/place/mod.rs",
        from: "(short && policy.strength == BindStrength::Default);",
        to: "(short && policy.strength == BindStrength::Explicit);",
    },
    Mutant {
        name: "slots exceed cpus: default kept",
        file: "engine/src/stage/place/by_slot.rs",
        from: "view.row().avail() > capacity.free &&",
        to: "view.row().avail() > capacity.free + 1 &&",
    },
    Mutant {
        name: "PE by slot counts cpus, not packages",
        file: "engine/src/stage/place/by_slot.rs",
        from: "(_, _) => capacity.by_package,",
        to: "(_, _) => capacity.free,",
    },
    Mutant {
        name: "a pe-list takes a cpu more than are free",
        file: "engine/src/stage/place/by_pe_list.rs",
        from: "procs.min(capacity.pe_list_free)",
        to: "procs.min(capacity.pe_list_free + 1)",
    },
    Mutant {
        name: "by node gives up a default too early",
        file: "engine/src/stage/place/by_node.rs",
        from: "capacity.free < each.min(row.avail())",
        to: "capacity.free <= each.min(row.avail())",
    },
    Mutant {
        name: "by node shares rounds over one node too many",
        file: "engine/src/stage/place/by_node.rs",
        from: "let each = (placement.asked / placement.node_count()).max(1);",
        to: "let each = (placement.asked / (placement.node_count() + 1)).max(1);",
    },
    Mutant {
        name: "ranks are swapped between phases",
        file: "engine/src/plan/rank/rounds_of_nodes.rs",
        from: "            rank += width * rounds;\n",
        to: "            rank += width;\n",
    },
    Mutant {
        name: "rank by node counts finished nodes",
        file: "engine/src/plan/rank/rounds_of_nodes.rs",
        from: "weights[run as usize >> block] -= turns * nodes(run);",
        to: "weights[run as usize >> block] -= turns * nodes(run) / 2;",
    },
    Mutant {
        name: "rank by fill forgets the object order",
        file: "engine/src/plan/rank/turns_on_node.rs",
        from: "RankOrder::Fill if runs.all(|run| patterns.get(run.pattern).ascends()) => None,",
        to: "RankOrder::Fill if runs.len() > 0 || patterns.is_empty() => None,",
    },
    Mutant {
        name: "listed ranks start a place late",
        file: "engine/src/plan/app.rs",
        from: "local: entry.local + (rank - entry.rank),",
        to: "local: entry.local,",
    },
    Mutant {
        name: "a cpu is given twice",
        file: "engine/src/stage/node/bind.rs",
        from: "        cpus.units.put(unit, There::No);\n    }",
        to: "        if unit > 0 {\n            cpus.units.put(unit, There::No);\n        }\n    }",
    },
    Mutant {
        name: "LIMIT lets one more in",
        file: "engine/src/stage/node/bind.rs",
        from: ".is_some_and(|limit| cpus.bound[target as usize] >= u32::from(limit));",
        to: ".is_some_and(|limit| cpus.bound[target as usize] > u32::from(limit));",
    },
    Mutant {
        name: "LIMIT is not counted",
        file: "engine/src/stage/node/cpus.rs",
        from: "        let before = *count;\n        *count += 1;",
        to: "        let before = *count;\n        *count += 0;",
    },
    Mutant {
        name: "masks are not cut by earlier apps",
        file: "engine/src/stage/node/bind.rs",
        from: "            return Mask::Whole(object);\n        }\n        Mask::Some",
        to: "            return Mask::Whole(object);\n        }\n        if !ranges.is_empty() {\n            return Mask::Whole(object);\n        }\n        Mask::Some",
    },
    Mutant {
        name: "a hwthread in core mode consumes only itself",
        file: "engine/src/stage/node/bind.rs",
        from: "return Some(self.units.of_pu(pu).map_or(Cpu::Pu(pu), Cpu::Unit));",
        to: "return Some(Cpu::Pu(pu));",
    },
    Mutant {
        name: "if-supported is forgotten",
        file: "engine/src/stage/node/bind.rs",
        from: "let supported = self.policy.if_supported == IfSupported::Yes;",
        to: "let supported = self.policy.if_supported != IfSupported::Yes;",
    },
    Mutant {
        name: "overload frees nothing",
        file: "engine/src/stage/node/bind.rs",
        from: "if found.is_none() && overload && !self.any_free(cpus, place, kind) {",
        to: "if found.is_none() && overload && self.any_free(cpus, place, kind) {",
    },
    Mutant {
        name: "PE takes one cpu less",
        file: "engine/src/stage/node/bind_several.rs",
        from: "free.take(pe as usize).collect();",
        to: "free.take(pe as usize - 1).collect();",
    },
    Mutant {
        name: "free cpus are not carried to the next app",
        file: "engine/src/stage/place/lay.rs",
        from: "                free,\n                used:",
        to: "                free: if step.procs > 1 { free } else { state.free },\n                used:",
    },
    Mutant {
        name: "slots are not carried to the next app",
        file: "engine/src/stage/place/lay.rs",
        from: "used: state.used + step.procs,",
        to: "used: state.used,",
    },
    Mutant {
        name: "local ranks start afresh in each app",
        file: "engine/src/stage/place/outcome.rs",
        from: "own_before: found.own,",
        to: "own_before: 0,",
    },
    Mutant {
        name: "NOLOCAL leaks into the next app",
        file: "engine/src/stage/alloc/select.rs",
        from: "if policy.nolocal == NoLocal::No {",
        to: "if policy.nolocal == NoLocal::No && app.row() == 0 {",
    },
    Mutant {
        name: "claims do not raise slots",
        file: "engine/src/stage/alloc/select.rs",
        from: "slots.raised.push((part, raised));",
        to: "let _ = &mut slots.raised;",
    },
    Mutant {
        name: "a full node stays in the list",
        file: "engine/src/stage/alloc/select.rs",
        from: "if row.room() == 0 || (forbidden && row.is_full()) {",
        to: "if row.room() == 0 {",
    },
    Mutant {
        name: "a relative node is counted from one",
        file: "engine/src/stage/alloc/named.rs",
        from: "let node = NodeRange::one(*nth);",
        to: "let node = NodeRange::one(nth.saturating_sub(1));",
    },
    Mutant {
        name: "an absent np counts a slot too many",
        file: "engine/src/stage/place/map_policy.rs",
        from: "if self.policy.pe <= 1 {",
        to: "if self.policy.pe <= 2 {",
    },
    Mutant {
        name: "the default by size begins one process late",
        file: "engine/src/stage/resolve/size.rs",
        from: "if total < 3 { Self::Few }",
        to: "if total < 4 { Self::Few }",
    },
    Mutant {
        name: "a rankfile needs no free cpu",
        file: "engine/src/stage/place/listed_node.rs",
        from: "&& self.app.procs.counted() == Counted::Given",
        to: "&& self.app.procs.counted() == Counted::Counted",
    },
    Mutant {
        name: "a sequence's cpus may be taken twice",
        file: "engine/src/stage/place/listed_node.rs",
        from: "if !taken.is_empty() && !self.overload() {",
        to: "if !taken.is_empty() && !self.overload() && count > 1 {",
    },
    Mutant {
        name: "steps of a plan are read with the wrong sign",
        file: "engine/src/plan/bytes/wire.rs",
        from: "Ok(if value & 1 == 1 { -size } else { size })",
        to: "Ok(if value & 1 == 0 { -size } else { size })",
    },
    Mutant {
        name: "ppr ignores slots",
        file: "engine/src/stage/place/by_ppr.rs",
        from: "if whole > slots && view.placement",
        to: "if whole > slots + 1 && view.placement",
    },
    Mutant {
        name: "a stale memo entry serves another number of processes",
        file: "engine/src/stage/place/memo.rs",
        from: "(other == step).then_some(outcome)",
        to: "(other.layout == step.layout && other.procs.min(2) == step.procs.min(2)).then_some(outcome)",
    },
    Mutant {
        name: "nodes with one process each are written from the block's first on",
        file: "engine/src/plan/row_writer.rs",
        from: "count_up(out.node, self.nodes.first + rows.start);",
        to: "count_up(out.node, self.nodes.first);",
    },
    Mutant {
        name: "a row of turns that are dealt has what their processes would get undealt",
        file: "engine/src/plan/row_writer.rs",
        from: "block.write(locals, &dealt.places[turns], rows, out);",
        to: "block.write(locals, &self.places.all()[turns], rows, out);",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn what_is_changed_stands_there_once() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for mutant in MUTANTS {
            let text = std::fs::read_to_string(root.join(mutant.file)).unwrap();
            let found = text.matches(mutant.from).count();
            assert_eq!(found, 1, "{}: {}", mutant.name, mutant.file);
        }
    }
}
