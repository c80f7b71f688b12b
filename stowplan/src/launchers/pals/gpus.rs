//! `--gpu-bind list:0.0:0.1`: the GPUs of each local rank. Source: `lines/pals/spec.md` 5.

use crate::launchers::line::table::Said;
use crate::launchers::line::usable::Usable;
use crate::launchers::line::{LineAsked, LineRefused};
use stowplan_engine::table::gpus::GpuFamily;

/// Tiles of one GPU where `device.tile` is known: Intel's Ponte Vecchio.
const TILES: u32 = 2;

/// The flat numbers of the GPUs that a list names, by local rank.
///
/// # Errors
/// `not-modelled` for all other forms.
pub(super) fn read<M>(asked: &LineAsked<'_>, said: &Said<M>) -> Result<Vec<u32>, LineRefused> {
    let unknown = |why: &str| said.refused(asked, "not-modelled", why);
    let list = said.value.strip_prefix("list:");
    let list = list.ok_or_else(|| unknown("only list:DEVICE.TILE:… is known here"))?;
    let entries = list.split(':').map(|entry| {
        let (gpu, tile) = entry.split_once('.')?;
        let (gpu, tile): (u32, u32) = (gpu.parse().ok()?, tile.parse().ok()?);
        let flat = gpu.checked_mul(TILES)?.checked_add(tile)?;
        (tile < TILES).then_some(flat)
    });
    let all: Option<Vec<u32>> = entries.collect();
    all.ok_or_else(|| {
        unknown("entries are DEVICE.TILE with tiles 0 and 1; other forms are not known here")
    })
}

/// The GPU of a local rank.
///
/// # Errors
/// `not-modelled` for more ranks than entries, and on nodes whose GPUs have no tiles; `launch-fails` for a GPU that is not there.
pub(super) fn of<M>(
    asked: &LineAsked<'_>,
    said: &Said<M>,
    list: &[u32],
    node: &Usable,
    local: u32,
) -> Result<u32, LineRefused> {
    let gpus = asked.hardware.topologies().gpus(node.topology);
    if gpus.first().is_none_or(|gpu| gpu.family != GpuFamily::Ze) {
        let why = "tiles are known of Intel's GPUs alone, and the topology has none";
        return Err(said.refused(asked, "not-modelled", why));
    }
    let Some(&number) = list.get(local as usize) else {
        let why =
            format!("what PALS gives to local rank {local} is not known: the list is shorter");
        return Err(said.refused(asked, "not-modelled", &why));
    };
    match gpus.iter().any(|gpu| gpu.visible == number) {
        true => Ok(number),
        false => {
            let why = format!("the node has no GPU {}.{}", number / TILES, number % TILES);
            Err(said.refused(asked, "launch-fails", &why))
        }
    }
}
