//! The network cards of processes are the same in all forms of a plan, and in all formats of large answers.

use crate::console::{MadeUp, stowplan, words};
use serde_json::Value;
use stowplan::job::args::map_args;
use stowplan::job::outside::FilesAlone;
use stowplan::job::place::place;
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;
use stowplan_engine::plan::slice::NodeSlice;
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::table::names::NodeId;

/// The files of the project.
struct Project;

impl Files for Project {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        std::fs::read(crate::console::root().join(path)).map_err(|error| error.to_string())
    }
}

fn plan(words: &str) -> Plan {
    let words = words.split(' ').map(|word| word.replace(';', " "));
    let asked = map_args(&words.collect::<Vec<_>>()).unwrap();
    let placed = place(asked, &FilesAlone(&Project));
    placed
        .unwrap_or_else(|error| panic!("{error:?}"))
        .mapped
        .plan
}

/// Jobs that are mapped by network card: the words, the version of their broadcasts and slices, and the cards rank by rank.
const JOBS: &[(&str, u8, &[&str])] = &[
    (
        "--topo cases/machines/devices.xml -H a:4,b:4 -n 4 --map-by device=network",
        4,
        &["eth0", "mlx5_0", "eth0", "mlx5_0"],
    ),
    (
        "--topo package:2;core:2;pu:1 --devices nic=package:1,0 -H a:4 -n 2 --map-by device=nic",
        3,
        &["nic0", "nic1"],
    ),
    (
        "--topo package:2;numa:2;core:2;pu:1 --devices nic=numa -H a:8,b:8 -n 2 --map-by device=nic:ndev=2 : -n 2 --map-by core : -n 1 --map-by device=nic3",
        3,
        &["nic0,nic1", "nic2,nic3", "", "", "nic3"],
    ),
    (
        "--topo cases/machines/devices.xml --topo b=package:2;core:2;pu:1 --devices b=nic=package:2 -H a:4,b:4 --map-by ppr:1:device=fabric",
        4,
        &["eth0", "mlx5_0", "nic0", "nic1", "nic2", "nic3"],
    ),
];

fn of_ranks(plan: &Plan) -> Vec<String> {
    let places = (0..plan.ranks()).map(|rank| plan.place(Rank(rank)).unwrap());
    places
        .map(|place| plan.nics().of(&place).join(","))
        .collect()
}

#[test]
fn cards_come_back_from_every_form() {
    for &(words, version, cards) in JOBS {
        let fresh = plan(words);
        assert_eq!(of_ranks(&fresh), cards, "{words}");
        let saved = Plan::from_bytes(&fresh.to_bytes()).unwrap();
        assert_eq!(of_ranks(&saved), cards, "saved: {words}");
        let sent = fresh.broadcast_bytes();
        assert_eq!(sent[8], version, "{words}");
        let heard = Plan::from_broadcast_bytes(&sent).unwrap();
        assert_eq!(of_ranks(&heard), cards, "broadcast: {words}");
        assert_eq!(heard.broadcast_bytes(), sent, "{words}");
        for plan in [&fresh, &saved, &heard] {
            for node in (0..plan.world().names.len()).map(|row| NodeId::from_row(row as usize)) {
                let bytes = plan.slice_bytes(node);
                assert_eq!(bytes[8], version, "{words}");
                let slice = NodeSlice::from_bytes(&bytes).unwrap();
                for proc in &slice.procs {
                    let own = proc.nics.map_or(&[][..], |row| &slice.nics[row as usize]);
                    assert_eq!(own.join(","), cards[proc.rank.0 as usize], "slice: {words}");
                }
            }
        }
    }
}

#[test]
fn jobs_that_are_mapped_otherwise_are_sent_as_before() {
    let plan = plan(
        "--topo cases/machines/v3-by-hand-devices.xml --devices gpu=none -H a:4 -n 2 --map-by core",
    );
    let node = NodeId::from_row(0);
    for bytes in [plan.broadcast_bytes(), plan.slice_bytes(node)] {
        assert_eq!(bytes[8], 1);
    }
}

#[test]
fn damaged_cards_are_refused_or_read() {
    let sound = plan(JOBS[2].0);
    for sealed in [
        sound.broadcast_bytes(),
        sound.slice_bytes(NodeId::from_row(0)),
    ] {
        let body = 17..sealed.len() - 4;
        for at in body {
            for value in [0, 1, 0x7f, 0xff] {
                let mut bytes = sealed.clone();
                bytes[at] = value;
                let end = bytes.len() - 4;
                let sum = crc32fast::hash(&bytes[..end]);
                bytes[end..].copy_from_slice(&sum.to_le_bytes());
                if let Ok(plan) = Plan::from_broadcast_bytes(&bytes) {
                    of_ranks(&plan);
                }
                drop(NodeSlice::from_bytes(&bytes));
            }
        }
    }
}

/// 131,072 ranks on 32,768 nodes.
const LARGE: &str = "--topo 'package:2 numa:2 core:2 pu:1' --devices nic=numa:3,1,2,0 -H 'n[0-32767]:4' --map-by device=nic:interleave";
/// The cards by local rank: packages in turn, beginning with that of nic0; nic1 and nic3 are near the other one.
const TURN: [&str; 4] = ["nic0", "nic1", "nic2", "nic3"];

#[test]
fn large_answers_have_the_cards_of_every_rank() {
    let files = MadeUp::default();
    let said = |format: &str| {
        let said = stowplan(&words(&format!("map {format} {LARGE}")), &files);
        assert_eq!(said.status, 0, "{}", said.err);
        said.out
    };
    let tsv = said("--format tsv");
    let mut lines = tsv.lines();
    assert!(
        lines
            .next()
            .is_some_and(|head| head.ends_with("\tcpus\tnics"))
    );
    let cells: Vec<&str> = lines
        .map(|line| line.rsplit('\t').next().unwrap())
        .collect();
    assert_eq!(cells.len(), 131_072);
    assert!(
        cells
            .iter()
            .enumerate()
            .all(|(rank, own)| *own == TURN[rank % 4])
    );
    let rows = said("--format ndjson --columns rank,nics");
    for (rank, row) in rows.lines().enumerate() {
        assert_eq!(
            row,
            format!("{{\"rank\":{rank},\"nics\":\"{}\"}}", TURN[rank % 4])
        );
    }
    let json = said("--format json");
    assert!(json.len() < 4096, "{} bytes", json.len());
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["nics"]["nodes"], serde_json::json!([[0, 32768, 0]]));
    // The rows of a kind: app, device, list. The devices are numbered near the NUMA nodes: nic3 nic1 nic2 nic0.
    let named = |row: &Value| {
        let list = usize::try_from(row[2].as_u64().unwrap()).unwrap();
        let list = &json["nics"]["sets"][list];
        (
            row[1].as_u64().unwrap(),
            list[0].as_str().unwrap().to_owned(),
        )
    };
    let rows = json["nics"]["kinds"][0].as_array().unwrap();
    let rows: Vec<(u64, String)> = rows.iter().map(named).collect();
    let expected = ["nic3", "nic1", "nic2", "nic0"].map(str::to_owned);
    assert_eq!(rows, (0..).zip(expected).collect::<Vec<_>>());
    let page = said("");
    assert!(
        page.contains("nics by local rank  nic0 nic1 nic2 nic3\n"),
        "{page}"
    );
    assert!(plan_of_large().broadcast_bytes().len() < 1024);
}

fn plan_of_large() -> Plan {
    let words = words(LARGE);
    let asked = map_args(&words).unwrap();
    let placed = place(asked, &FilesAlone(&Project));
    placed
        .unwrap_or_else(|error| panic!("{error:?}"))
        .mapped
        .plan
}
