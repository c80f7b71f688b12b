//! Slot lists: the cpus that an entry of a file names, on one topology. Source: `semantics` 4.6.

use super::bind::Binder;
use super::bits::{Bits, narrow};
use super::units::targets;
use crate::policy::{CpuMode, ObjKind};
use crate::table::listings::SlotPart;

/// The PUs that a slot list names.
///
/// # Errors
/// What the node lacks, in words: `core 99 (it has 0 to 7)`.
pub(crate) fn pus(binder: &Binder<'_>, parts: &[SlotPart]) -> Result<Bits, String> {
    let &Binder {
        topologies,
        hardware,
        ref units,
        ..
    } = binder;
    let packages = targets(topologies, hardware.topology, ObjKind::Package);
    let pus_of = |package: u32| topologies.ranges(packages[package as usize]);
    let package_count = narrow(packages.len());
    let mut found = Bits::none(hardware.pus);
    for part in parts {
        match part {
            SlotPart::Machine => found.add(&[(0, hardware.pus)]),
            SlotPart::Cpus(ranges) => {
                let word = match binder.mode {
                    CpuMode::Core => "core",
                    CpuMode::Hwthread => "hwthread",
                };
                for unit in numbers(ranges, units.len(), word)? {
                    found.add(units.pus(unit));
                }
            }
            SlotPart::Packages(ranges) => {
                for package in numbers(ranges, package_count, "package")? {
                    found.add(pus_of(package));
                }
            }
            SlotPart::CoresOf { package, cores } => {
                let package = [(*package, *package)];
                let pus = numbers(&package, package_count, "package")?.flat_map(pus_of);
                let pus: Vec<(u32, u32)> = pus.copied().collect();
                let units = hardware.units(topologies, CpuMode::Core);
                let inside = units.inside(&pus).flat_map(|(first, end)| first..end);
                let inside: Vec<u32> = inside.collect();
                let count = narrow(inside.len());
                let all = [(0, count.saturating_sub(1))];
                let wanted = cores.as_deref().unwrap_or(&all);
                for core in numbers(wanted, count, "core of the package")? {
                    found.add(units.pus(inside[core as usize]));
                }
            }
            SlotPart::OsPus(ranges) => {
                let os = topologies.pus_os(hardware.topology);
                for &(first, last) in ranges {
                    let named = (0..).zip(os).filter(|(_, os)| (first..=last).contains(os));
                    let named: Vec<(u32, u32)> = named.map(|(pu, _)| (pu, pu + 1)).collect();
                    found.add(&named);
                    if named.len() as u64 <= u64::from(last - first) {
                        return Err(format!("PU P#{first}-{last}, or not all of them"));
                    }
                }
            }
        }
    }
    Ok(found)
}

/// Numbers below `count`, or the first that is not.
fn numbers<'r>(
    ranges: &'r [(u32, u32)],
    count: u32,
    word: &str,
) -> Result<impl Iterator<Item = u32> + use<'r>, String> {
    if let Some(&(first, last)) = ranges.iter().find(|&&(_, last)| last >= count) {
        let lacking = first.max(count).min(last);
        let has = if count == 0 {
            "it has none".to_owned()
        } else {
            format!("it has 0 to {}", count - 1)
        };
        return Err(format!("{word} {lacking} ({has})"));
    }
    Ok(ranges.iter().flat_map(|&(first, last)| first..=last))
}
