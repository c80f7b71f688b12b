//! `KMP_HW_SUBSET`: which packages, cores and threads LLVM and Intel keep.

use super::layers::{Layer, Layers};
use super::machine::Machine;
use super::refused::Refused;
use super::runtime::Runtime;
use super::scan::Scan;
use roaring::RoaringBitmap;

/// One entry: so many objects of a layer from this one on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Kept {
    layer: Layer,
    /// How many; `None`: all.
    count: Option<i64>,
    from: i64,
}

const NAMES: &[(&str, Layer)] = &[
    ("s", Layer::Package),
    ("socket", Layer::Package),
    ("sockets", Layer::Package),
    ("c", Layer::Core),
    ("core", Layer::Core),
    ("cores", Layer::Core),
    ("t", Layer::Thread),
    ("thread", Layer::Thread),
    ("threads", Layer::Thread),
];

/// Names of layers whose rules are not known.
const NOT_MODELLED: &[&str] = &[
    "d",
    "die",
    "dice",
    "n",
    "numa",
    "numas",
    "numa_domain",
    "numa_domains",
    "node",
    "nodes",
    "tile",
    "tiles",
    "module",
    "modules",
    "l1",
    "l2",
    "l3",
    "l1_cache",
    "l1_caches",
    "l2_cache",
    "l2_caches",
    "l3_cache",
    "l3_caches",
    "ll_cache",
    "ll_caches",
    "llc",
    "proc_group",
    "proc_groups",
    "g",
];

/// What the variable says; `None`: it is passed over as a whole.
fn read(value: &str) -> Result<Option<Vec<Kept>>, Refused> {
    let refused = |why: &str| Refused::unknown(format!("KMP_HW_SUBSET={value}"), why);
    if value.trim_start().starts_with(':') {
        return Err(refused("what a colon at its start does was not measured"));
    }
    let (mut all, mut bad): (Vec<Kept>, bool) = (Vec::new(), false);
    for part in value.split(',') {
        let mut scan = Scan::new(part.trim());
        let count = scan.number();
        if count.is_none() {
            scan.take(b'*');
        }
        let rest = part
            .trim()
            .trim_start_matches(|sign: char| sign.is_ascii_digit() || sign == '*');
        let (name, from) = match rest.split_once('@') {
            None => (rest, Some(0)),
            Some((name, from)) => {
                let mut from_scan = Scan::new(from.trim());
                let from = from_scan.number().filter(|_| from_scan.is_done());
                (name, from)
            }
        };
        let name = name.trim().to_ascii_lowercase();
        let layer = NAMES
            .iter()
            .find(|(own, _)| *own == name)
            .map(|(_, layer)| *layer);
        if layer.is_none() && (NOT_MODELLED.contains(&name.as_str()) || name.contains([':', '&'])) {
            return Err(refused("layers other than s, c and t were not measured"));
        }
        match (layer, from) {
            (Some(layer), Some(from))
                if count != Some(0) && all.iter().all(|own| own.layer != layer) =>
            {
                all.push(Kept { layer, count, from });
            }
            _ => bad = true,
        }
    }
    Ok((!bad).then_some(all))
}

/// Whether the variable is passed over, though it is set.
pub(super) fn is_passed_over(
    value: &str,
    machine: &Machine,
    mask: &RoaringBitmap,
    runtime: Runtime,
) -> bool {
    matches!(kept(value, machine, mask, runtime), Ok(None))
}

/// The cpus that are left of a mask; `None`: the variable is not applied.
pub(super) fn kept(
    value: &str,
    machine: &Machine,
    mask: &RoaringBitmap,
    runtime: Runtime,
) -> Result<Option<RoaringBitmap>, Refused> {
    let Some(kept) = read(value)? else {
        return Ok(None);
    };
    let whole = Layers::new(machine, machine.all(), runtime);
    let own = Layers::new(machine, mask, runtime);
    let counted = if runtime.since_llvm(19) { &whole } else { &own };
    for part in &kept {
        let asked = part.count.unwrap_or(0).saturating_add(part.from);
        if part.layer == Layer::Thread && asked > i64::from(whole.most_threads()) {
            let what = format!("KMP_HW_SUBSET={value}");
            return Err(Refused::unknown(
                what,
                "it asks for more threads than a core has",
            ));
        }
        if asked > most(counted, part.layer) {
            return Ok(None);
        }
    }
    let left = numbered(machine, mask).into_iter().filter(|(_, numbers)| {
        kept.iter().all(|part| {
            let number = i64::from(match part.layer {
                Layer::Package => numbers[0],
                Layer::Thread => numbers[2],
                Layer::Core | Layer::Numa | Layer::L1 | Layer::L2 | Layer::L3 => numbers[1],
            });
            let end = part
                .count
                .map_or(i64::MAX, |count| part.from.saturating_add(count));
            (part.from..end).contains(&number)
        })
    });
    let left: RoaringBitmap = left.map(|(os, _)| os).collect();
    Ok((!left.is_empty()).then_some(left))
}

/// The most objects of a layer below the next package or core above it: the product over the layers in between.
fn most(layers: &Layers, layer: Layer) -> i64 {
    let Some(at) = layers.kinds.iter().position(|&kind| kind == layer) else {
        return 0;
    };
    let stops = |&above: &usize| {
        let kind = layers.kinds[above];
        !matches!(kind, Layer::Package | Layer::Core | Layer::Thread)
    };
    let between = (0..at).rev().take_while(stops);
    let product = between.map(|above| i64::from(layers.most(above)));
    product.fold(i64::from(layers.most(at)), i64::saturating_mul)
}

/// The cpus of a mask, each with the number of its package, of its core within that, and its own within the core.
fn numbered(machine: &Machine, mask: &RoaringBitmap) -> Vec<(u32, [u32; 3])> {
    let mut all: Vec<(u32, [u32; 3])> = Vec::new();
    let mut before: Option<(u32, u32)> = None;
    for cpu in machine.within(mask) {
        let last = all.last().map_or([0; 3], |(_, numbers)| *numbers);
        let numbers = match before {
            None => [0; 3],
            Some((package, _)) if package != cpu.package => [last[0] + 1, 0, 0],
            Some((_, core)) if core != cpu.core => [last[0], last[1] + 1, 0],
            Some(_) => [last[0], last[1], last[2] + 1],
        };
        before = Some((cpu.package, cpu.core));
        all.push((cpu.os, numbers));
    }
    all
}
