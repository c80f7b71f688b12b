//! `--cpu-bind`: the cpus of each local rank, as far as they are certain. Source: `lines/pals/spec.md` 4.

use crate::launchers::cpus::{read_list, read_mask};
use crate::launchers::line::usable::{Usable, all_there};
use crate::launchers::line::{LineAsked, LineRefused};
use roaring::RoaringBitmap;
use stowplan_engine::count::counted;
use stowplan_engine::limit::PUS_MAX;
use stowplan_engine::policy::ObjKind;

/// What `--cpu-bind` says.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Bind {
    /// No word at all: the site decides.
    Unsaid,
    /// `none`.
    Unbound,
    /// `list:` with colons between ranks, `mask:` with commas.
    Sets(Vec<RoaringBitmap>),
    /// One set of a list, for every rank.
    OneSet(RoaringBitmap),
    /// The next cpus.
    Depth,
    /// The next cores.
    Core,
    /// NUMA nodes.
    Numa,
}

/// Reads the value of `--cpu-bind`.
///
/// # Errors
/// The class and the reason.
pub(super) fn read(value: &str) -> Result<Bind, (&'static str, String)> {
    let value = value.strip_prefix("verbose,").unwrap_or(value);
    let (word, args) = match value.split_once(':') {
        Some((word, args)) => (word, Some(args)),
        None => (value, None),
    };
    let refused = |why: &str| Err(("launcher-refuses", why.to_owned()));
    match (word, args) {
        ("verbose", None) => Ok(Bind::Unsaid),
        ("none", None) => Ok(Bind::Unbound),
        ("depth", None) => Ok(Bind::Depth),
        ("core", None) => Ok(Bind::Core),
        ("numa", None) => Ok(Bind::Numa),
        ("list", Some(args)) => {
            let sets: Option<Vec<_>> = args.split(':').map(|set| read_list(set, PUS_MAX)).collect();
            match sets {
                None => refused("list: takes cpus, ranges and commas, with colons between ranks"),
                Some(sets) => Ok(match <[_; 1]>::try_from(sets) {
                    Ok([only]) => Bind::OneSet(only),
                    Err(sets) => Bind::Sets(sets),
                }),
            }
        }
        ("mask", Some(args)) => match args.split(',').map(some_of_mask).collect() {
            None => refused("mask: takes hexadecimal masks, with commas between ranks"),
            Some(sets) => Ok(Bind::Sets(sets)),
        },
        ("socket" | "thread" | "user", _) => Err((
            "not-modelled",
            format!("what PALS does with {word} is not known here"),
        )),
        _ => refused("the words are none, list:, mask:, depth, core, numa, socket, thread, user:"),
    }
}

fn some_of_mask(text: &str) -> Option<RoaringBitmap> {
    read_mask(text).filter(|set| !set.is_empty())
}

impl Bind {
    /// The cpus of a local rank; `None`: unbound.
    ///
    /// # Errors
    /// `not-modelled` where PALS is not known; `launch-fails` for cpus that the node has not.
    pub(super) fn cpus(
        &self,
        asked: &LineAsked<'_>,
        node: &Node<'_>,
        local: u32,
        depth: u32,
    ) -> Result<Option<RoaringBitmap>, LineRefused> {
        let unknown =
            |why: String| asked.refused("not-modelled", format_args!("--cpu-bind: {why}"));
        let found = match self {
            Self::Unsaid | Self::Unbound => return Ok(None),
            Self::OneSet(set) => node.there(asked, set)?,
            Self::Sets(sets) => {
                let set = sets.get(local as usize).ok_or_else(|| {
                    let sets = counted(sets.len() as u64, "set");
                    unknown(format!(
                        "it has {sets}, and what PALS gives to local rank {local} is not known"
                    ))
                })?;
                node.there(asked, set)?
            }
            Self::Depth => {
                if node.cores.iter().any(has_neighbours) {
                    return Err(unknown("in which order depth takes the hwthreads of a core with neighbouring numbers is not known".to_owned()));
                }
                some(&node.cpus, local, depth)
                    .ok_or_else(|| unknown(beyond(local, depth, "cpu")))?
            }
            Self::Core => {
                let first = local as usize * depth as usize;
                let own = node.cores.get(first..first + depth as usize);
                let own = own.ok_or_else(|| unknown(beyond(local, depth, "core")))?;
                own.iter()
                    .fold(RoaringBitmap::new(), |all, core| all | core)
            }
            Self::Numa => numa(node, local, depth).map_err(unknown)?,
        };
        Ok(Some(found))
    }
}

fn beyond(local: u32, depth: u32, what: &'static str) -> String {
    format!(
        "local rank {local} with {} is beyond the {what}s of the node, and what PALS does then is not known",
        counted(u64::from(depth), what)
    )
}

/// What a rank may be bound to on a node.
pub(super) struct Node<'u> {
    usable: &'u Usable,
    cpus: Vec<u32>,
    cores: Vec<RoaringBitmap>,
    numas: Vec<RoaringBitmap>,
}

impl<'u> Node<'u> {
    pub(super) fn of(asked: &LineAsked<'_>, usable: &'u Usable) -> Self {
        Self {
            usable,
            cpus: usable.cpus.iter().collect(),
            cores: usable.objects(asked, ObjKind::Core),
            numas: usable.objects(asked, ObjKind::Numa),
        }
    }

    /// Cpus that a list names must be there.
    fn there(
        &self,
        asked: &LineAsked<'_>,
        set: &RoaringBitmap,
    ) -> Result<RoaringBitmap, LineRefused> {
        let os = asked.hardware.topologies().pus_os(self.usable.topology);
        all_there(asked, "--cpu-bind", set, &os.iter().copied().collect())
    }
}

fn has_neighbours(core: &RoaringBitmap) -> bool {
    core.iter().any(|cpu| core.contains(cpu + 1))
}

/// The part of a list that a local rank gets.
fn some(cpus: &[u32], local: u32, depth: u32) -> Option<RoaringBitmap> {
    let first = local as usize * depth as usize;
    let own = cpus.get(first..first + depth as usize)?;
    Some(own.iter().copied().collect())
}

/// The NUMA node of a rank's first cpu, or several: certain where the depth and the NUMA nodes divide each other.
fn numa(node: &Node<'_>, local: u32, depth: u32) -> Result<RoaringBitmap, String> {
    let size = node.numas.first().map_or(0, RoaringBitmap::len);
    let depth = u64::from(depth);
    let is_even = node.numas.iter().all(|numa| numa.len() == size);
    if !is_even || depth == 0 || size == 0 || !size.is_multiple_of(depth) {
        return Err(format!(
            "numa with {} is certain only where the cpus of a NUMA node divide into them evenly",
            counted(depth, "cpu")
        ));
    }
    let at = u64::from(local) * depth / size;
    let own = usize::try_from(at).ok().and_then(|at| node.numas.get(at));
    own.cloned()
        .ok_or_else(|| "there are more ranks than NUMA nodes hold".to_owned())
}
