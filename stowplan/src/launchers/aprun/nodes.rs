//! The nodes of an aprun line: `-L`, or those of the allocation. Source: `lines/aprun/spec.md` 3.

use super::words::Means;
use crate::launchers::line::table::Part;
use crate::launchers::line::{Allocation, LineAsked, LineRefused};
use stowplan_engine::text::hostlist::{plain, read_host_names};

/// The nodes, in order.
///
/// # Errors
/// `launcher-refuses` for a list that is none, and for nodes outside of the allocation.
pub(super) fn read(
    asked: &LineAsked<'_>,
    parts: &[Part<Means>],
) -> Result<Allocation, LineRefused> {
    let ours = asked.our_names();
    let said = parts.iter().find_map(|part| part.last(Means::Nodes));
    let Some(said) = said else {
        let names = ours.unwrap_or_else(|| vec![plain("localhost")]);
        return Allocation::of(&names, asked.hardware);
    };
    let refused = |why: &str| said.refused(asked, "launcher-refuses", why);
    let names = read_host_names(&said.value).map_err(|_| refused("this is no list of nodes"))?;
    if let Some(ours) = ours {
        let ours = Allocation::of(&ours, asked.hardware)?;
        for range in &names {
            if let (_, Some(other)) = ours.names.find(range) {
                return Err(refused(&format!("{other} is not in the allocation")));
            }
        }
    }
    Allocation::of(&names, asked.hardware)
}
