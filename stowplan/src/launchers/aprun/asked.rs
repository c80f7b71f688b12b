//! What each program of an aprun line asks for. Source: `lines/aprun/spec.md` 2.

use super::cc::{self, Bind};
use super::words::Means;
use crate::launchers::cpus::read_list;
use crate::launchers::line::table::Part;
use crate::launchers::line::{LineAsked, LineRefused};
use roaring::RoaringBitmap;
use stowplan_engine::limit::PUS_MAX;

/// What a program asks for.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Asks {
    /// `-n`.
    pub(super) ranks: u32,
    /// `-N`.
    pub(super) per_node: Option<u32>,
    /// `-d`.
    pub(super) depth: u32,
    /// `-j`: threads of a core in use.
    pub(super) threads: u32,
    /// `-S`.
    pub(super) per_numa: Option<u32>,
    /// `-sl`, `-sn`: which NUMA nodes.
    pub(super) numas: Option<RoaringBitmap>,
    /// `-cc`.
    pub(super) bind: Bind,
}

/// Reads the options of a program.
///
/// # Errors
/// `launcher-refuses` for numbers that are none; `not-modelled` for what is not known.
pub(super) fn read(asked: &LineAsked<'_>, part: &Part<Means>) -> Result<Asks, LineRefused> {
    part.known(asked, Means::Unknown)?;
    let positive = |means| part.positive(asked, means);
    let depth = positive(Means::Depth)?.unwrap_or(1);
    let threads = positive(Means::Threads)?.unwrap_or(1);
    if threads > 1
        && depth > 1
        && let Some(said) = part.last(Means::Threads)
    {
        let why = "in which order threads are dealt with -d above 1 is not known here";
        return Err(said.refused(asked, "not-modelled", why));
    }
    let bind = match part.last(Means::CpuBind) {
        None => Bind::Cpu,
        Some(said) => {
            cc::read(&said.value).map_err(|why| said.refused(asked, "launcher-refuses", &why))?
        }
    };
    let count = positive(Means::NumaCount)?.map(|count| (0..count.min(PUS_MAX)).collect());
    let list = part.last(Means::NumaList).map(|said| {
        let list = read_list(&said.value, PUS_MAX);
        list.ok_or_else(|| said.refused(asked, "launcher-refuses", "this is no list of NUMA nodes"))
    });
    Ok(Asks {
        ranks: positive(Means::Ranks)?.unwrap_or(1),
        per_node: positive(Means::PerNode)?,
        depth,
        threads,
        per_numa: positive(Means::PerNuma)?,
        numas: list.transpose()?.or(count),
        bind,
    })
}
