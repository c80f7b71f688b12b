//! Topologies in a plan as bytes.

use super::refused::reads;
use std::ops::Range;
use stowplan_engine::plan::bytes::inside::{Edition, Writer, read_topologies, write_topologies};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::cpusets::Cpusets;
use stowplan_engine::table::topologies::{DraftObject, Latency, Topologies, TopologyDraft};

#[test]
fn a_topology_comes_back_with_its_latencies() {
    let object = |kind, pus: Range<u32>| DraftObject {
        kind,
        os: Some(pus.start),
        pus: vec![pus],
    };
    let latencies = |nodes: u32| Latency {
        nodes: (0..nodes).collect(),
        values: (0..u64::from(nodes * nodes)).map(|at| 90 * at).collect(),
    };
    for nodes in [1, 2, 5] {
        let numa = (0..nodes).map(|at| object(ObjKind::Numa, 2 * at..2 * at + 2));
        let mut draft = TopologyDraft {
            pus_os: (0..2 * nodes).rev().collect(),
            objects: vec![object(ObjKind::Machine, 0..2 * nodes)],
            latency: Some(latencies(nodes)),
            ..TopologyDraft::default()
        };
        draft.objects.extend(numa);
        let (mut topologies, mut cpusets) = (Topologies::default(), Cpusets::default());
        let id = topologies.add(draft, &mut cpusets).unwrap();
        let write =
            |writer: &mut Writer| write_topologies(writer, &topologies, &[id], Edition::Gpus);
        let read = reads(write, |reader| {
            let read = read_topologies(reader, &mut cpusets)?;
            reader.end()?;
            Ok(read)
        });
        let read = read.unwrap();
        assert_eq!(read.latency(id), Some(&latencies(nodes)));
        let numas = |all: &Topologies| all.count(id, ObjKind::Numa);
        assert_eq!(
            (read.pus_os(id), numas(&read)),
            (topologies.pus_os(id), nodes)
        );
    }
}
