//! Cray MPICH's own numbering of ranks, after the launcher: `MPICH_RANK_REORDER_METHOD`.

use super::asked::LineAsked;
use super::refused::LineRefused;
use crate::launchers::cpus::read_list;
use stowplan_engine::limit::RANKS_MAX;

/// The order that the variables ask for: the rank at each place of the launcher; `None`: the launcher's own.
///
/// # Errors
/// `not-modelled` for methods 0 and 2; `launch-fails` for a file that is no order of all ranks.
pub fn method(asked: &LineAsked<'_>, ranks: u32) -> Result<Option<Vec<u32>>, LineRefused> {
    const NAME: &str = "MPICH_RANK_REORDER_METHOD";
    match asked.variable(NAME) {
        None | Some("1") => Ok(None),
        Some("3") => file(asked, ranks).map(Some).map_err(|why| {
            asked.refused(
                "launch-fails",
                format_args!("{NAME}=3: MPICH_RANK_ORDER {why}"),
            )
        }),
        Some(other) => Err(asked.refused(
            "not-modelled",
            format_args!("{NAME}={other}: of its methods only 1 and 3 are known here"),
        )),
    }
}

/// The file `MPICH_RANK_ORDER`, or the one that `MPICH_RANK_REORDER_FILE` names: ranks and ranges with commas, `#` comments.
fn file(asked: &LineAsked<'_>, ranks: u32) -> Result<Vec<u32>, String> {
    let path = asked.variable("MPICH_RANK_REORDER_FILE");
    let bytes = asked.files.read(path.unwrap_or("MPICH_RANK_ORDER"))?;
    let text = String::from_utf8_lossy(&bytes);
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or(""));
    let mut order = Vec::new();
    for part in lines.flat_map(|line| line.split(',')).map(str::trim) {
        if part.is_empty() {
            continue;
        }
        let set =
            read_list(part, RANKS_MAX).ok_or_else(|| format!("has {part}, which is no rank"))?;
        if order.len() as u64 + set.len() > u64::from(ranks) {
            return Err(format!("lists more than the {ranks} ranks"));
        }
        order.extend(set);
    }
    let mut sorted = order.clone();
    sorted.sort_unstable();
    match sorted.into_iter().eq(0..ranks) {
        true => Ok(order),
        false => Err(format!("does not list each of the {ranks} ranks once")),
    }
}
