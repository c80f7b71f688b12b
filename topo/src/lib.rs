//! Reads topologies: hwloc XML, synthetic descriptions, named machines, this machine.
//!
//! This is an internal crate of stowplan: its API is not promised. Launchers use the crate `stowplan`.
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
#[doc(hidden)]
pub mod kind;
// Errors.
mod error;
// Classes of OS devices, and their order.
#[doc(hidden)]
pub mod classes;
// GPUs and network cards among the devices of a file.
#[doc(hidden)]
pub mod os_devices;
// GPUs and network cards: of a named machine, or stated with `--devices`.
pub mod devices;
// Text -> topology.
pub mod synthetic;
// Bytes -> topology.
pub mod xml;
// Named machines.
pub mod builtin;
// This machine, read by libhwloc.
#[cfg(feature = "hwloc")]
pub mod live;
// Fewer PUs.
mod reduce;
// This machine, read without libhwloc: its files, GPUs and network cards.
mod files;
mod pci;
pub mod sys;

pub use error::{SyntheticFault, TopoError, XmlFault};
pub use reduce::{core_of_package, keep_pus, keep_units, withhold_pus};
use stowplan_engine::table::topologies::TopologyDraft;

/// The topology that `text` names: `builtin:NAME`, a synthetic description, or a path to an hwloc XML file.
///
/// A text that reads as a synthetic description is one, even if there is a file of that name. Everything else is a path, which
/// `file` reads.
///
/// # Errors
/// `bad-topology` when the file cannot be read or is not a topology, when the description is wrong, or when there is no such
/// machine.
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
            near: match builtin::find(text) {
                Some(machine) => Some(machine.name),
                None => builtin::nearest(text),
            },
            text: text.to_owned(),
            reason,
        }),
    }
}

/// Whether a text looks like a path.
fn is_path(text: &str) -> bool {
    text.contains('/') || text.to_ascii_lowercase().ends_with(".xml")
}

/// Whether a text looks like a synthetic description, even a wrong one.
fn is_description(text: &str) -> bool {
    text.contains([':', ' ', '[']) || text.starts_with(|first: char| first.is_ascii_digit())
}
