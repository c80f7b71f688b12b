//! The bodies of the text fuzz targets, on inputs found earlier, on valid texts, and on damaged ones.

use proptest::prelude::*;
use std::path::Path;
use stowplan_engine::count::ProcCount;
use stowplan_engine::error::spec::Owner;
use stowplan_engine::spawn::SpawnRequest;
use stowplan_engine::spawn::request::owner;
use stowplan_scale_tests::input::{network, text};

/// A target: its name, its body, and valid texts.
type Target = (&'static str, fn(&[u8]), &'static [&'static str]);

const TARGETS: &[Target] = &[
    (
        "text_directive",
        text::directive,
        &[
            "package:span:pe=2:nolocal",
            "ppr:2:numa:oversubscribe",
            "pe-list=0-3,7:ordered",
            "dist:mlx5_0",
            "device=network:interleave=numa:shared:ndev=2",
            "ppr:2:device=mlx5_0",
            "core:limit=2:if-supported",
            "fill",
        ],
    ),
    (
        "text_hosts",
        text::hosts,
        &[
            "a:4,b,c:*,n[000-127]:8,+n2,+e:2",
            "r[0-1]n[0-3].site.org:2",
            "10.0.0.1:3,::1",
        ],
    ),
    (
        "text_hostfile",
        text::hostfile,
        &["a slots=4 max_slots=8 # x\n^b\n+n2\nrank 0=c slot=1\n/* x\n*/ user@d\n"],
    ),
    (
        "text_rankfile",
        text::rankfile,
        &["rank 0=a slot=0\nrank 1=+n1 slot=1:0-2;p0 // x\nrank 2=b slots=p*\n"],
    ),
    (
        "text_sequence",
        text::sequence,
        &["# x\na 0\nb 1:0-2;3 more\n\na\na\n"],
    ),
    (
        "text_affinity",
        text::affinity,
        &["hostA 0,1-3 0 2\n# x\nhostB\n"],
    ),
    ("text_network", network::network, NETWORKS),
    ("text_packed", text::packed_request, &[]),
];

/// A network in each form.
const NETWORKS: &[&str] = &[
    "dragonfly group:4 switch:2 node:4 + group:1 node:6 n[00-37]",
    "dragonfly+ group:2 leaf:2 node:3 n[1-12]",
    "a:2 b:3 node:2 x[0-7],y[00-03]",
    "torus 4x4x2 w[01-32]",
    "mesh 3x5 w[0-14]",
    "names x{group}c{chassis}s*",
    "builtin:lumi-c n[0-511]",
    "SwitchName=s0 Nodes=n[0-3] LinkSpeed=9\nSwitchName=s1 Nodes=n[4-7]\n# all\nSwitchName=top \\\nSwitches=s[0-1]\n",
    "SwitchName=l0 Nodes=a\nSwitchName=l1 Nodes=b\nSwitchName=l2 Nodes=c\nSwitchName=p Switches=l0,l1\nSwitchName=q Switches=l1,l2\n",
    "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[0-3]\nSwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[4-7]\nSwitchName=t Level=1 LinkSpeed=1 Nodes=n[0-7] Switches=s[0-1]\n",
    "BlockName=b0 Nodes=n[0-3]\nBlockName=b1 Nodes=n[4-7]\nBlockName=b2 Nodes=n[8-11]\nBlockSizes=4,8\n",
    "RingName=r0 Nodes=n[0-5]\nRingName=r1 Nodes=m[0-3]\n",
    "TorusName=t Dims=2,3,2 Nodes=n[0-11]\n",
    "---\n- topology: it\n  cluster_default: true\n  tree:\n    switches:\n      - switch: s0\n        nodes: n[0-3]\n      - switch: s1\n        children: s0\n",
    "---\n- topology: it\n  block:\n    block_sizes:\n      - 2\n      - 4\n    blocks:\n      - block: b0\n        nodes: n[0-1]\n      - block: b1\n        nodes: n[2-3]\n",
    "---\n- topology: it\n  torus3d:\n    toruses:\n      - name: t\n        dims:\n          x: 2\n          y: 2\n          z: 2\n        nodes: n[0-7]\n",
    "top.s0.n0 switch.switch.node\ntop.s1.n1\n[s2,s3].s0.n2\n",
    "#node rack group\nn[0-3] r0 g0\nn[4-7] r1 g0\nm[0-3] r2 g1\n",
];

#[test]
fn corpus_of_text_targets_holds() {
    for (name, body, sound) in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("fuzz/corpus")
            .join(name);
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            body(&std::fs::read(entry.path()).expect("a file that can be read"));
        }
        for text in *sound {
            body(text.as_bytes());
        }
    }
}

fn request() -> SpawnRequest {
    let mut request = SpawnRequest::new();
    let app = request.push_app(Some(ProcCount(4)), "ocean");
    request.push_hole();
    let other = request.push_app(None, "");
    request
        .set_mapping(Owner::Job, "package:pe=2:inherit")
        .expect("sound");
    request
        .set_mapping(owner(app), "ppr:2:numa:nolocal")
        .expect("sound");
    request
        .set_binding(owner(other), "core:limit=2")
        .expect("sound");
    request
}

#[test]
fn every_cut_and_every_flipped_bit_of_a_packed_request_is_refused() {
    let bytes = request().pack().expect("small");
    for end in 0..bytes.len() {
        assert_eq!(
            SpawnRequest::unpack(&bytes[..end]).unwrap_err().class(),
            "bad-request"
        );
    }
    for bit in 0..bytes.len() * 8 {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(SpawnRequest::unpack(&damaged).is_err(), "bit {bit}");
    }
    let payload = &bytes[16..];
    text::packed_request(payload);
}

proptest! {
    #[test]
    fn damaged_texts_are_read_or_refused(
        target in prop::sample::select(TARGETS),
        which in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
    ) {
        let (_, body, sound) = target;
        let mut bytes = match sound {
            [] => request().pack().expect("small")[16..].to_vec(),
            _ => which.get(sound).as_bytes().to_vec(),
        };
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        body(&bytes);
    }

    #[test]
    fn any_bytes_are_read_or_refused(target in prop::sample::select(TARGETS), bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        (target.1)(&bytes);
    }
}

#[test]
fn huge_numbers_cost_nothing() {
    for hosts in [
        "n[0-99999999999]",
        "n[0-4294967293]:8",
        "n[0-4294967295],m[0-4294967295]",
    ] {
        text::hosts(hosts.as_bytes());
    }
    text::hosts("n[0-1],".repeat(10_000).as_bytes());
    text::hosts(("n".to_owned() + &"[0-9]".repeat(2_000)).as_bytes());
    text::directive(b"ppr:4000000000:core");
    text::directive(b"pe-list=0-4294967295");
}
