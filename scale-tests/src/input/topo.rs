//! Fuzz bodies for topologies from any bytes: XML and synthetic descriptions. They check the engine's tables, and that the same
//! topology comes back when it is written as XML and read again.

use stowplan_engine::limit::{OBJECTS_MAX, PUS_MAX};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::cpusets::Cpusets;
use stowplan_engine::table::topologies::{DraftObject, Topologies, TopologyDraft};
use stowplan_topo::{TopoError, synthetic, xml};

/// Topologies of at most this many objects are written and read again.
const OBJECTS_WRITTEN: usize = 4096;

/// The reader of hwloc XML.
pub fn xml(bytes: &[u8]) {
    match xml::parse(bytes) {
        Ok(draft) => {
            // An object or a PU takes at least a tag.
            let least = "<object/>".len() * draft.objects.len().max(draft.pus_os.len());
            assert!(least <= bytes.len() + 2 * "<object/>".len());
            judge(draft);
        }
        Err(error) => refused(&error),
    }
}

/// The reader of synthetic descriptions.
pub fn synthetic(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match synthetic::parse(text) {
        Ok(draft) => {
            assert!(draft.pus_os.len() <= PUS_MAX as usize);
            assert!(draft.objects.len() <= OBJECTS_MAX as usize);
            synthetic::ignored(text).expect("it was read before");
            judge(draft);
        }
        Err(error) => refused(&error),
    }
}

/// A refusal has the one class, and says a sentence of bounded length.
fn refused(error: &TopoError) {
    assert_eq!(error.class(), "bad-topology");
    let told = error.to_string();
    assert!(!told.is_empty() && told.len() < 1000, "{told}");
}

/// Everything that holds for every topology that the engine takes.
fn judge(draft: TopologyDraft) {
    let (mut topologies, mut cpusets) = (Topologies::default(), Cpusets::default());
    let Ok(topology) = topologies.add(draft.clone(), &mut cpusets) else {
        return;
    };
    let pus = topologies.count(topology, ObjKind::Hwthread);
    assert_eq!(topologies.count(topology, ObjKind::Machine), 1);
    assert!(topologies.count(topology, ObjKind::Numa) >= 1);
    assert_eq!(pus as usize, draft.pus_os.len());
    let machine = topologies.objects(topology, ObjKind::Machine).next();
    let machine = machine.expect("there is one");
    assert_eq!(topologies.ranges(machine), [(0, pus)]);
    nested(&draft);
    if let Some(latency) = &draft.latency {
        let nodes = latency.nodes.len();
        assert_eq!(latency.values.len(), nodes * nodes);
        let known = topologies.count(topology, ObjKind::Numa);
        assert!(latency.nodes.iter().all(|&node| node < known));
    }
    let written_out = draft.devices.is_empty()
        && draft.latency.is_none()
        && draft.objects.len() + draft.pus_os.len() <= OBJECTS_WRITTEN
        && draft.objects.iter().all(|object| object.pus.len() == 1);
    if written_out && stands_alone(&draft) {
        let mut again = xml::parse(write(&draft).as_bytes()).expect("we wrote it");
        // Who made the cpus, and which may not be used, is not written.
        again.vendor = draft.vendor;
        again.disallowed.clone_from(&draft.disallowed);
        again.kept.clone_from(&draft.kept);
        assert_eq!(again, draft);
    }
}

/// Objects are nested or disjoint; none crosses another.
fn nested(draft: &TopologyDraft) {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for object in &draft.objects {
        assert!(
            object.pus.len() <= 1,
            "{object:?}: an object of a tree is one range"
        );
        ranges.extend(object.pus.iter().map(|pus| (pus.start, u32::MAX - pus.end)));
    }
    ranges.sort_unstable();
    let mut open: Vec<u32> = Vec::new();
    for (start, end) in ranges
        .into_iter()
        .map(|(start, end)| (start, u32::MAX - end))
    {
        while open.last().is_some_and(|&outer| outer <= start) {
            open.pop();
        }
        assert!(
            open.last().is_none_or(|&outer| end <= outer),
            "objects cross"
        );
        open.push(end);
    }
}

/// Whether our own file can say everything about the topology: memory in tree order, no kind inside itself, and all numbers known.
fn stands_alone(draft: &TopologyDraft) -> bool {
    let of = |kind: ObjKind| {
        draft
            .objects
            .iter()
            .filter(move |object| object.kind == kind)
    };
    let apart = ObjKind::ALL
        .into_iter()
        .filter(|&kind| kind != ObjKind::Numa)
        .all(|kind| {
            let all: Vec<&DraftObject> = of(kind).collect();
            all.windows(2)
                .all(|pair| pair[0].pus[0].end <= pair[1].pus[0].start)
        });
    let memory: Vec<(u32, u32)> = of(ObjKind::Numa)
        .map(|object| (object.pus[0].end, object.pus[0].end - object.pus[0].start))
        .collect();
    let mut numbers: Vec<Option<u32>> = of(ObjKind::Numa).map(|object| object.os).collect();
    numbers.sort_unstable();
    let small = |os: &Option<u32>| os.is_some_and(|os| os < PUS_MAX);
    apart
        // Two with the same cpus would be in two nested groups, and so in the opposite order.
        && memory.is_sorted_by(|one, next| one < next)
        && numbers.windows(2).all(|pair| pair[0] != pair[1])
        && numbers.iter().all(small)
        && of(ObjKind::Machine).all(|machine| machine.os.is_some())
        && draft
            .objects
            .iter()
            .all(|object| object.os != Some(u32::MAX))
        && stays_in_order(draft)
}

/// Whether siblings are in the order of their lowest PU. A reader puts them in this order. (Groups, which are not listed, may have
/// put them in another order.)
fn stays_in_order(draft: &TopologyDraft) -> bool {
    draft.pus_os.is_sorted()
}

/// The topology in dialect 2.
fn write(draft: &TopologyDraft) -> String {
    let mut objects: Vec<&DraftObject> = draft.objects.iter().collect();
    objects.sort_by_key(|object| {
        let pus = &object.pus[0];
        (
            pus.start,
            u32::MAX - pus.end,
            object.kind == ObjKind::Numa,
            object.kind,
        )
    });
    let nodes = objects.iter().filter(|object| object.kind == ObjKind::Numa);
    let nodes = bits(nodes.filter_map(|node| node.os));
    let mut text = "<topology version=\"2.0\">".to_owned();
    let mut open: Vec<u32> = Vec::new();
    let mut written = 0;
    for object in objects {
        let pus = &object.pus[0];
        while let Some(end) = open.pop_if(|end| *end <= pus.start) {
            threads(&mut text, draft, &mut written, end, &nodes);
            text.push_str("</object>");
        }
        threads(&mut text, draft, &mut written, pus.start, &nodes);
        let cpus = bits(
            draft.pus_os[pus.start as usize..pus.end as usize]
                .iter()
                .copied(),
        );
        if object.kind == ObjKind::Numa {
            let own = bits(object.os);
            // A group ties the memory to its cpus; the cpus themselves come after it.
            text.push_str(&tag("Group", None, &cpus, &nodes, ">"));
            text.push_str(&tag("NUMANode", object.os, &cpus, &own, "/>"));
        } else {
            let (word, more) = spelled(object.kind);
            text.push_str(&tag(word, object.os, &cpus, &nodes, &format!("{more}>")));
        }
        open.push(pus.end);
    }
    while let Some(end) = open.pop() {
        threads(&mut text, draft, &mut written, end, &nodes);
        text.push_str("</object>");
    }
    text.push_str("</topology>");
    text
}

/// Writes the PUs up to `end`.
fn threads(text: &mut String, draft: &TopologyDraft, written: &mut u32, end: u32, nodes: &str) {
    while *written < end {
        let os = draft.pus_os[*written as usize];
        text.push_str(&tag("PU", Some(os), &bits([os]), nodes, "/>"));
        *written += 1;
    }
}

fn tag(word: &str, os: Option<u32>, cpus: &str, nodes: &str, end: &str) -> String {
    let os = os.map_or(String::new(), |os| format!(" os_index=\"{os}\""));
    format!(
        "<object type=\"{word}\"{os} cpuset=\"{cpus}\" complete_cpuset=\"{cpus}\" nodeset=\"{nodes}\" \
         complete_nodeset=\"{nodes}\"{end}"
    )
}

/// hwloc's word for a kind, and the attributes that a cache must have.
fn spelled(kind: ObjKind) -> (&'static str, &'static str) {
    match kind {
        ObjKind::Machine => ("Machine", ""),
        ObjKind::Package => ("Package", ""),
        ObjKind::Die => ("Die", ""),
        ObjKind::Numa => ("NUMANode", ""),
        ObjKind::L5 => ("L5Cache", " depth=\"5\" cache_type=\"0\""),
        ObjKind::L4 => ("L4Cache", " depth=\"4\" cache_type=\"0\""),
        ObjKind::L3 => ("L3Cache", " depth=\"3\" cache_type=\"0\""),
        ObjKind::L2 => ("L2Cache", " depth=\"2\" cache_type=\"0\""),
        ObjKind::L1 => ("L1Cache", " depth=\"1\" cache_type=\"1\""),
        ObjKind::Core => ("Core", ""),
        ObjKind::Hwthread => ("PU", ""),
        ObjKind::Gpu => ("OSDev", " osdev_type=\"5\""),
        ObjKind::Device => ("OSDev", " osdev_type=\"2\""),
    }
}

/// A set as hwloc spells it.
pub(crate) fn bits(numbers: impl IntoIterator<Item = u32>) -> String {
    let mut words: Vec<u32> = vec![0];
    for number in numbers {
        let word = number as usize / 32;
        words.resize(words.len().max(word + 1), 0);
        words[word] |= 1 << (number % 32);
    }
    let words: Vec<String> = words
        .iter()
        .rev()
        .map(|word| format!("0x{word:08x}"))
        .collect();
    words.join(",")
}
