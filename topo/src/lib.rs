//! Topologies: hwloc XML, synthetic strings, named machines, this machine.
//!
//! An inner part of stowplan: nothing here is promised to stay as it is. Launchers use the crate `stowplan`.
//!
//! Every source gives a [`TopologyDraft`], which the engine validates and interns:
//! ```
//! use stowplan_engine::policy::ObjKind;
//! use stowplan_engine::table::{cpusets::Cpusets, topologies::Topologies};
//!
//! let no_files = |_: &str| Err("there are no files here".to_owned());
//! let draft = stowplan_topo::read("package:2 core:4 pu:2", &no_files)?;
//! let (mut topologies, mut cpusets) = (Topologies::default(), Cpusets::default());
//! let id = topologies.add(draft, &mut cpusets)?;
//! assert_eq!(topologies.count(id, ObjKind::Core), 8);
//! assert_eq!(stowplan_topo::read("nowhere.xml", &no_files).unwrap_err().class(), "bad-topology");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Kinds of objects, and words for them.
mod kind;
// What can be wrong.
mod error;
// GPUs and network cards: those of a file, of a named machine, those that are stated.
pub mod devices;
// Text -> topology.
pub mod synthetic;
// Bytes -> topology.
pub mod xml;
// Fewer PUs.
pub mod builtin;
// The machine at hand, by libhwloc and without.
#[cfg(feature = "hwloc")]
pub mod live;
mod reduce;
// Files of the machine at hand, and its GPUs and network cards.
mod files;
mod pci;
pub mod sys;

pub use error::{SyntheticFault, TopoError, XmlFault};
pub use reduce::keep_units;
use stowplan_engine::table::topologies::TopologyDraft;

/// The topology that `text` names: `builtin:NAME`, a synthetic description, or a path to an hwloc XML file.
///
/// What reads as a synthetic description is one, whatever files there are; everything else is a path, which `file` reads.
///
/// # Errors
/// `bad-topology`: the file cannot be read, or is none; the description is none; there is no such machine.
pub fn read(
    text: &str,
    file: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<TopologyDraft, TopoError> {
    if let Some(name) = text.strip_prefix("builtin:") {
        let machine = builtin::find(name).ok_or_else(|| TopoError::UnknownMachine {
            name: name.to_owned(),
            nearest: builtin::nearest(name),
        })?;
        return machine.draft();
    }
    let fault = match synthetic::parse(text) {
        Ok(draft) => return Ok(draft),
        Err(fault) => fault,
    };
    match file(text) {
        Ok(bytes) => xml::parse(&bytes).map_err(|error| error.of_file(text)),
        Err(reason) if is_path(text) => Err(TopoError::Unreadable {
            file: text.to_owned(),
            reason,
        }),
        Err(_) if is_description(text) => Err(fault),
        Err(reason) => Err(TopoError::Neither {
            text: text.to_owned(),
            reason,
        }),
    }
}

/// Looks like a path more than like anything else.
fn is_path(text: &str) -> bool {
    text.contains('/') || text.to_ascii_lowercase().ends_with(".xml")
}

/// Looks like a synthetic description, if a wrong one.
fn is_description(text: &str) -> bool {
    text.contains([':', ' ', '[']) || text.starts_with(|first: char| first.is_ascii_digit())
}
