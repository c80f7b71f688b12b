//! Reads this machine through libhwloc (feature `hwloc`).
//!
//! libhwloc detects the machine and writes it as XML, and our own reader reads this XML. So a live machine and a file of it give
//! the same topology.

use crate::error::TopoError;
use crate::xml;
use hwlocality::Topology;
use hwlocality::topology::builder::TypeFilter;
use hwlocality::topology::export::xml::XMLExportFlags;
use stowplan_engine::table::topologies::TopologyDraft;

/// The topology of this machine, with its devices and with what this process may use.
///
/// # Errors
/// `bad-topology` when libhwloc cannot read it.
pub fn detect() -> Result<TopologyDraft, TopoError> {
    let failed = |reason: String| TopoError::Live { reason };
    let topology = Topology::builder()
        .with_io_type_filter(TypeFilter::KeepAll)
        .map_err(|error| failed(error.to_string()))?
        .build()
        .map_err(|error| failed(error.to_string()))?;
    let xml = topology
        .export_xml(XMLExportFlags::empty())
        .map_err(|error| failed(error.to_string()))?;
    xml::parse(xml.as_str().trim_end_matches('\0').as_bytes())
}
