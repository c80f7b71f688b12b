//! Slot lists: the cpus that an entry of a file names, on one topology. Source: `semantics` 4.6.

use super::bind::Binder;
use super::bits::{Bits, There};
use super::units::{Targets, narrow};
use crate::policy::{CpuMode, ObjKind};
use crate::table::listings::SlotPart;

/// The PUs that a slot list names.
///
/// # Errors
/// What the node lacks, in words: `core 99 (it has 0 to 7)`.
pub(crate) fn pus(binder: &Binder<'_>, parts: &[SlotPart]) -> Result<Bits, String> {
    let mut bits = Bits::none(binder.hardware.pus);
    for part in parts {
        match part {
            SlotPart::Machine => bits.fill((0, binder.hardware.pus), There::Yes),
            SlotPart::Cpus(ranges) => {
                let word = if binder.mode == CpuMode::Core {
                    "core"
                } else {
                    "hwthread"
                };
                for unit in numbers(ranges, binder.units.len(), word)? {
                    fill(&mut bits, &binder.units.pus(unit));
                }
            }
            SlotPart::Packages(ranges) => {
                let packages = packages(binder);
                for package in numbers(ranges, packages.len(), "package")? {
                    fill(&mut bits, binder.topologies.ranges(packages.get(package)));
                }
            }
            SlotPart::CoresOf { package, cores } => {
                let packages = packages(binder);
                for package in numbers(&[(*package, *package)], packages.len(), "package")? {
                    let pus = binder.topologies.ranges(packages.get(package));
                    let units = binder.hardware.units(CpuMode::Core);
                    let inside: Vec<u32> = units
                        .inside(pus)
                        .into_iter()
                        .flat_map(|(first, end)| first..end)
                        .collect();
                    let all = [(0, narrow(inside.len()).saturating_sub(1))];
                    let wanted = cores.as_deref().unwrap_or(&all);
                    for core in numbers(wanted, narrow(inside.len()), "core of the package")? {
                        fill(&mut bits, &units.pus(inside[core as usize]));
                    }
                }
            }
            SlotPart::OsPus(ranges) => {
                os_pus(
                    &mut bits,
                    binder.topologies.pus_os(binder.hardware.topology),
                    ranges,
                )?;
            }
        }
    }
    Ok(bits)
}

/// Adds PUs by OS number.
fn os_pus(bits: &mut Bits, os: &[u32], ranges: &[(u32, u32)]) -> Result<(), String> {
    for &(first, last) in ranges {
        let mut found = 0_u64;
        for (pu, _) in os
            .iter()
            .enumerate()
            .filter(|(_, number)| (first..=last).contains(*number))
        {
            bits.put(narrow(pu), There::Yes);
            found += 1;
        }
        if found < u64::from(last - first) + 1 {
            return Err(format!("PU P#{first}-{last}, or not all of them"));
        }
    }
    Ok(())
}

fn fill(bits: &mut Bits, pus: &[(u32, u32)]) {
    for &stretch in pus {
        bits.fill(stretch, There::Yes);
    }
}

fn packages<'t>(binder: &Binder<'t>) -> Targets<'t> {
    Targets::new(
        binder.topologies,
        binder.hardware.topology,
        ObjKind::Package,
    )
}

/// The numbers in some ranges. `Err` names the first that is not below `count`.
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
