//! A topology for programs: one line of JSON.

use serde::Serialize;
use stowplan::answers::json_text;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::cpusets::{Cpusets, list_form};
use stowplan_engine::table::topologies::{Device, ObjectId, Topologies, TopologyId};

#[derive(Serialize)]
struct Shown {
    version: u32,
    objects: Vec<Object>,
    gpus: Vec<Gpu>,
    nics: Vec<Nic>,
}

#[derive(Serialize)]
struct Object {
    kind: &'static str,
    logical: usize,
    os: Option<u32>,
    cpus: String,
}

#[derive(Serialize)]
struct Gpu {
    logical: usize,
    visible: u32,
    cpus: String,
    names: Vec<String>,
}

#[derive(Serialize)]
struct Nic {
    name: String,
    cpus: String,
}

/// The whole answer: the objects as in the lines of tsv, GPUs in logical order, network cards. Cost: linear in these.
pub(super) fn json(
    topologies: &Topologies,
    cpusets: &Cpusets,
    topology: TopologyId,
    nics: &[Device],
) -> String {
    let cpus = |object: ObjectId| list_form(cpusets.get(topologies.cpuset(object)));
    let objects = ObjKind::ALL.into_iter().flat_map(|kind| {
        let of_kind = topologies.objects(topology, kind).enumerate();
        of_kind.map(move |(logical, object)| Object {
            kind: kind.word(),
            logical,
            os: topologies.os(object),
            cpus: cpus(object),
        })
    });
    let gpus = topologies.gpus(topology).iter();
    let gpus = gpus
        .zip(topologies.objects(topology, ObjKind::Gpu))
        .enumerate();
    let pus_os = topologies.pus_os(topology);
    let shown = Shown {
        version: 1,
        objects: objects.collect(),
        gpus: gpus
            .map(|(logical, (gpu, object))| Gpu {
                logical,
                visible: gpu.visible,
                cpus: cpus(object),
                names: Some(gpu.name.clone())
                    .filter(|name| !name.is_empty())
                    .into_iter()
                    .collect(),
            })
            .collect(),
        nics: nics
            .iter()
            .map(|nic| Nic {
                name: nic.name.clone(),
                cpus: list_form(
                    &nic.pus
                        .iter()
                        .cloned()
                        .flatten()
                        .map(|pu| pus_os[pu as usize])
                        .collect(),
                ),
            })
            .collect(),
    };
    let mut line = json_text::text(&shown);
    line.push('\n');
    line
}
