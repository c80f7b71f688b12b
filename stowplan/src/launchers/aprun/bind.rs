//! Cpus of local ranks under aprun. Source: `lines/aprun/spec.md` 4.

use super::asked::Asks;
use super::cc::Bind;
use crate::launchers::line::usable::{Usable, all_there};
use crate::launchers::line::{LineAsked, LineRefused};
use roaring::RoaringBitmap;
use stowplan_engine::policy::ObjKind;

/// A node's cpus as aprun deals them.
pub(super) struct Node<'u> {
    usable: &'u Usable,
    /// Usable cpus: so many threads of each core as `-j` says.
    cpus: Vec<u32>,
    /// The same by NUMA node.
    numas: Vec<Vec<u32>>,
}

impl<'u> Node<'u> {
    pub(super) fn of(asked: &LineAsked<'_>, asks: &Asks, usable: &'u Usable) -> Self {
        let cores = usable.objects(asked, ObjKind::Core);
        let threads = cores
            .iter()
            .flat_map(|core| core.iter().take(asks.threads as usize));
        let cpus: RoaringBitmap = threads.collect();
        let mut numas = usable.objects(asked, ObjKind::Numa);
        if let Some(list) = &asks.numas {
            let listed = |at: &usize| u32::try_from(*at).is_ok_and(|at| list.contains(at));
            let kept = numas.into_iter().enumerate().filter(|(at, _)| listed(at));
            numas = kept.map(|(_, numa)| numa).collect();
        }
        let of_numa = |numa: &RoaringBitmap| (numa & &cpus).iter().collect();
        let numas: Vec<Vec<u32>> = numas.iter().map(of_numa).collect();
        let mut cpus: Vec<u32> = numas.iter().flatten().copied().collect();
        cpus.sort_unstable();
        Self {
            usable,
            cpus,
            numas,
        }
    }

    /// How many ranks the node holds.
    pub(super) fn holds(&self, asks: &Asks) -> u32 {
        let wide = |cpus: usize| u32::try_from(cpus).unwrap_or(u32::MAX) / asks.depth;
        match asks.per_numa {
            None => wide(self.cpus.len()),
            Some(each) => each.saturating_mul(u32::try_from(self.numas.len()).unwrap_or(u32::MAX)),
        }
    }

    /// Ranks of a NUMA node must fit into it.
    pub(super) fn numa_holds(&self, asks: &Asks) -> Result<(), String> {
        let smallest = self.numas.iter().map(Vec::len).min().unwrap_or(0);
        let most = u32::try_from(smallest).unwrap_or(u32::MAX) / asks.depth;
        match asks.per_numa {
            Some(each) if each > most => Err(format!(
                "-S {each} is more than the {most} ranks of {} cpus that a NUMA node of {smallest} cpus holds",
                asks.depth
            )),
            Some(_) | None => Ok(()),
        }
    }

    /// The cpus that a local rank is dealt.
    fn dealt(&self, asks: &Asks, local: u32) -> Option<&[u32]> {
        let depth = asks.depth as usize;
        let (cpus, at) = match asks.per_numa {
            None => (&self.cpus, local),
            Some(each) => (self.numas.get((local / each) as usize)?, local % each),
        };
        let first = at as usize * depth;
        cpus.get(first..first + depth)
    }

    /// The cpus of a local rank; `None`: unbound.
    ///
    /// # Errors
    /// `not-modelled` where aprun is not known; `launch-fails` for cpus that the node has not.
    pub(super) fn cpus(
        &self,
        asked: &LineAsked<'_>,
        asks: &Asks,
        local: u32,
    ) -> Result<Option<RoaringBitmap>, LineRefused> {
        let unknown = |why: String| asked.refused("not-modelled", format_args!("-cc: {why}"));
        let dealt = || {
            self.dealt(asks, local).ok_or_else(|| {
                unknown(format!(
                    "what local rank {local} gets beyond the cpus of the node is not known"
                ))
            })
        };
        match &asks.bind {
            Bind::Unbound => Ok(None),
            Bind::Cpu | Bind::Depth => Ok(Some(dealt()?.iter().copied().collect())),
            Bind::Numa => {
                let first = dealt()?.first().copied();
                let numa = self
                    .numas
                    .iter()
                    .find(|numa| first.is_some_and(|cpu| numa.contains(&cpu)));
                let numa = numa.ok_or_else(|| unknown("the rank has no NUMA node".to_owned()))?;
                Ok(Some(numa.iter().copied().collect()))
            }
            Bind::Sets(sets) => {
                let set = sets
                    .get(local as usize)
                    .ok_or_else(|| unknown(format!("the list ends before local rank {local}")))?;
                all_there(asked, "-cc", set, &self.usable.cpus).map(Some)
            }
            Bind::Cpus(list) => {
                if asks.depth > 1 {
                    return Err(unknown("a list with commas and -d above 1 gives cpus to threads in an order that is not known".to_owned()));
                }
                let own = list
                    .get(local as usize % list.len().max(1))
                    .copied()
                    .flatten();
                own.map(|cpu| {
                    all_there(asked, "-cc", &RoaringBitmap::from([cpu]), &self.usable.cpus)
                })
                .transpose()
            }
        }
    }
}
