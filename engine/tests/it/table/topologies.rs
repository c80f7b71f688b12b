//! Interned topologies.

use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::cpusets::Cpusets;
use stowplan_engine::table::topologies::{DraftError, DraftObject, Topologies, TopologyDraft};

#[test]
fn equal_topologies_share_one_id() {
    let draft = TopologyDraft {
        pus_os: vec![0, 2, 1, 3],
        ..TopologyDraft::default()
    };
    let (mut topologies, mut cpusets) = (Topologies::default(), Cpusets::default());
    let a = topologies.add(draft.clone(), &mut cpusets).unwrap();
    assert_eq!(topologies.add(draft.clone(), &mut cpusets), Ok(a));
    let object = |kind| DraftObject {
        kind,
        os: Some(0),
        pus: std::iter::once(0..4).collect(),
    };
    let with = |kinds: [ObjKind; 2]| TopologyDraft {
        objects: kinds.into_iter().map(object).collect(),
        ..draft.clone()
    };
    let b = topologies.add(with([ObjKind::Package, ObjKind::Numa]), &mut cpusets);
    let same = topologies.add(with([ObjKind::Numa, ObjKind::Package]), &mut cpusets);
    let other = topologies.add(with([ObjKind::Numa, ObjKind::Die]), &mut cpusets);
    assert_eq!(b, same);
    assert_ne!(b, other);
    assert_eq!(topologies.len(), 3);
    assert_eq!(topologies.inferred_slots(a), 4, "no cores: PUs");
    assert_eq!(
        topologies.add(TopologyDraft::default(), &mut cpusets),
        Err(DraftError::NoPu)
    );
}
