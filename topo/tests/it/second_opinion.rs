//! libhwloc reads the same input: object by object, cpuset by cpuset.

use crate::objects::{Line, Source, assert_same, say};
use hwlocality::Topology;
use hwlocality::object::TopologyObject;
use hwlocality::object::types::ObjectType;
use hwlocality::topology::builder::TypeFilter;
use stowplan_engine::table::cpusets::list_form;

/// Kinds in the order of listings.
const KINDS: &[(&str, ObjectType)] = &[
    ("machine", ObjectType::Machine),
    ("package", ObjectType::Package),
    ("die", ObjectType::Die),
    ("numa", ObjectType::NUMANode),
    ("l5cache", ObjectType::L5Cache),
    ("l4cache", ObjectType::L4Cache),
    ("l3cache", ObjectType::L3Cache),
    ("l2cache", ObjectType::L2Cache),
    ("l1cache", ObjectType::L1Cache),
    ("core", ObjectType::Core),
    ("hwthread", ObjectType::PU),
];

/// Compares a listing with libhwloc's, or says why libhwloc has none.
pub(crate) fn compare(name: &str, source: Source<'_>, ours: &[Line]) {
    match listing(source) {
        Ok(theirs) => assert_same(name, ours, &theirs, "libhwloc"),
        Err(reason) => say(&format!("{name}: no second opinion, libhwloc: {reason}")),
    }
}

fn listing(source: Source<'_>) -> Result<Vec<Line>, String> {
    let builder = Topology::builder()
        .with_io_type_filter(TypeFilter::KeepAll)
        .map_err(|error| error.to_string())?;
    let builder = match source {
        Source::Xml(bytes) => {
            let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
            builder.from_xml(text)
        }
        Source::Synthetic(text) => builder.from_synthetic(text),
    };
    let topology = builder
        .map_err(|error| error.to_string())?
        .build()
        .map_err(|error| error.to_string())?;
    let mut lines = Vec::new();
    for (word, kind) in KINDS {
        for object in topology.objects_with_type(*kind) {
            lines.push([
                (*word).to_owned(),
                object.logical_index().to_string(),
                object
                    .os_index()
                    .map_or("-".to_owned(), |os| os.to_string()),
                cpus(object),
            ]);
        }
    }
    let words = |words: Option<&std::ffi::CStr>| {
        let words = words.map(|words| words.to_string_lossy().into_owned());
        words
            .filter(|words| !words.is_empty())
            .unwrap_or("-".to_owned())
    };
    for device in topology.objects_with_type(ObjectType::OSDevice) {
        lines.push([
            "device".to_owned(),
            words(device.name()),
            words(device.subtype()),
            device.first_non_io_ancestor().map_or("-".to_owned(), cpus),
        ]);
    }
    Ok(lines)
}

fn cpus(object: &TopologyObject) -> String {
    let Some(set) = object.cpuset() else {
        return "-".to_owned();
    };
    let bits = set.iter_set().map(usize::from);
    list_form(
        &bits
            .map(|bit| u32::try_from(bit).expect("hwloc numbers PUs with 32 bits"))
            .collect(),
    )
}

#[test]
fn this_machine_has_pus() {
    let draft = stowplan_topo::live::detect().unwrap();
    assert!(!draft.pus_os.is_empty());
}
