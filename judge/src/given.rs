//! A node whose processes were given by a launcher's own rules: what any placement must keep. The rules themselves are not judged here.

use super::bits::Bits;
use super::fault::{Broken, Promise, Seen};
use super::hardware::Hardware;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::cpusets::Cpusets;
use stowplan_engine::table::patterns::Pattern;

/// The processes of an app on a node.
pub(super) struct GivenNode<'p> {
    pub(super) hardware: Hardware<'p>,
    pub(super) cpusets: &'p Cpusets,
    pub(super) pattern: &'p Pattern,
    pub(super) procs: u32,
    pub(super) kind: Option<ObjKind>,
    pub(super) allowed: &'p Bits,
}

impl GivenNode<'_> {
    /// Checks that the pattern serves every process, that objects are there, and that cpus are of the node and may be used.
    ///
    /// Cost: the runs of the pattern.
    pub(super) fn judge(&self) -> Result<(), Broken> {
        let mut local = 0_u32;
        for run in self.pattern.runs(self.procs) {
            let broken = |promise, found, promised| Broken {
                local,
                promise,
                found,
                promised,
            };
            match (run.place.object, self.kind) {
                (Some(object), Some(kind)) if self.hardware.object(kind, object).is_some() => {}
                (None, _) => {}
                (Some(object), kind) => {
                    let kind = kind.unwrap_or(ObjKind::Machine);
                    let found = Seen::Object(kind, object);
                    return Err(broken(Promise::Object, found, Seen::Nothing));
                }
            }
            if let Some(cpus) = run.place.cpus {
                let set = self.cpusets.get(cpus);
                let pus = self.hardware.logical_bits(set);
                let may = |pus: &Bits| pus.ones().all(|pu| self.allowed.as_slice()[pu]);
                if set.is_empty() || !pus.as_ref().is_some_and(may) {
                    let there = self.hardware.os(self.allowed);
                    let (found, promised) = (Seen::Cpus(set.clone()), Seen::Cpus(there));
                    return Err(broken(Promise::CpusAllowed, found, promised));
                }
            }
            local = local.saturating_add(run.count);
        }
        if local < self.procs {
            return Err(Broken {
                local,
                promise: Promise::PatternLength,
                found: Seen::Number(u64::from(local)),
                promised: Seen::Number(u64::from(self.procs)),
            });
        }
        Ok(())
    }
}
