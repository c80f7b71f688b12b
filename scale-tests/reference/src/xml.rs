//! Reads hwloc's XML (dialects 2 and 3): objects, the allowed set, devices, latencies between NUMA nodes.

use crate::cards::{self, Address, Dialect, Plugged};
use crate::cpus::Cpus;
use crate::machine::{Device, Latencies, Machine, Object};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use stowplan_engine::policy::ObjKind;

/// What an element of the tree means to us.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Object(ObjKind),
    /// A memory-side cache: its NUMA nodes belong to the object around it.
    MemoryCache,
    /// A device.
    Device,
    /// Groups, instruction caches, bridges: they give no object themselves, but the elements inside them count.
    Nothing,
}

/// An element that is open while we read.
struct Open {
    sort: Sort,
    os: Option<u32>,
    name: String,
    /// The number of its type, if it is a device.
    type_number: Option<u32>,
    /// Its PCI address.
    address: Option<Address>,
    /// Its PUs, if the element has some; a device takes those of the object around it.
    cpus: Option<Cpus>,
    /// Its lowest PU, usable or not. Siblings are in this order; those without PUs come last.
    lowest: u32,
    /// For each child that is not memory: its lowest PU, and its objects in tree order.
    children: Vec<(u32, Vec<Object>)>,
    /// Memory children; they come after the normal children in tree order.
    memory: Vec<Object>,
    /// Whether a usable PU or NUMA node is inside.
    worth: Worth,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Worth {
    Dropped,
    Kept,
}

/// What the file has said so far.
#[derive(Default)]
struct Found {
    objects: Vec<Object>,
    /// Usable PUs and NUMA nodes, when the file names them.
    allowed: Option<Cpus>,
    allowed_memory: Option<Cpus>,
    devices: Vec<Plugged>,
    /// How types of devices are said.
    dialect: Option<Dialect>,
    latencies: Option<Latencies>,
    /// Dialect 1: memory is above the cpus.
    memory_above: bool,
    open: Vec<Open>,
}

/// Reads an XML text. `None` when it is not a topology with a usable PU.
#[must_use]
pub fn read(text: &str) -> Option<Machine> {
    let mut reader = Reader::from_str(text);
    let mut found = Found::default();
    let mut distances: Option<Latencies> = None;
    let mut words = String::new();
    text.contains("<topology").then_some(())?;
    // Dialect 1 has no version, and puts memory above the cpus.
    found.memory_above = !text.contains(" version=\"2") && !text.contains(" version=\"3");
    found.dialect = Some(if text.contains(" version=\"3") {
        Dialect::Bits
    } else {
        Dialect::Numbers
    });
    loop {
        match reader.read_event().ok()? {
            Event::Eof => break,
            Event::Start(tag) => match tag.name().as_ref() {
                "object" => found.enter(&tag)?,
                "distances2" => distances = latency_matrix(&tag),
                _ => words.clear(),
            },
            Event::Empty(tag) if tag.name().as_ref() == "object" => {
                found.enter(&tag)?;
                found.leave();
            }
            Event::Text(piece) => words.push_str(&piece),
            Event::End(tag) => match (tag.name().as_ref(), &mut distances) {
                ("object", _) => found.leave(),
                ("indexes", Some(distances)) => {
                    let nodes: Option<Vec<u32>> = words
                        .split_whitespace()
                        .map(|word| word.parse().ok())
                        .collect();
                    distances.nodes_os.extend(nodes?);
                }
                ("u64values", Some(distances)) => {
                    let values: Option<Vec<u64>> = words
                        .split_whitespace()
                        .map(|word| word.parse().ok())
                        .collect();
                    distances.values.push(values?);
                }
                ("distances2", _) if found.latencies.is_none() => {
                    found.latencies = distances.take().map(squared);
                }
                _ => {}
            },
            Event::Empty(_) | Event::CData(_) | Event::Comment(_) | Event::Decl(_) => {}
            Event::PI(_) | Event::DocType(_) | Event::GeneralRef(_) => {}
        }
    }
    found.machine()
}

impl Found {
    fn enter(&mut self, tag: &BytesStart<'_>) -> Option<()> {
        let sort = sort_of(tag)?;
        let os = attribute(tag, "os_index").and_then(|text| text.parse().ok());
        let cpus = attribute(tag, "cpuset").map(|text| bitmap(&text));
        if self.open.is_empty() {
            self.allowed = attribute(tag, "allowed_cpuset").map(|text| bitmap(&text));
            self.allowed_memory = attribute(tag, "allowed_nodeset").map(|text| bitmap(&text));
        }
        let complete = attribute(tag, "complete_cpuset").map(|text| bitmap(&text));
        let lowest = complete
            .as_ref()
            .or(cpus.as_ref())
            .and_then(|cpus| cpus.iter().next());
        let cpus = match (sort, os) {
            (Sort::Object(ObjKind::Hwthread), Some(os)) => Some([os].into_iter().collect()),
            _ => cpus,
        };
        let usable = |cpus: &Cpus| {
            self.allowed
                .as_ref()
                .is_none_or(|allowed| allowed.meets(cpus))
        };
        let worth = match sort {
            Sort::Object(ObjKind::Numa) if self.may_hold_memory(os) => Worth::Kept,
            Sort::Object(ObjKind::Hwthread) if cpus.as_ref().is_some_and(usable) => Worth::Kept,
            Sort::Object(_) | Sort::MemoryCache | Sort::Device | Sort::Nothing => Worth::Dropped,
        };
        let name = attribute(tag, "name").unwrap_or_default();
        let type_number = attribute(tag, "osdev_type").and_then(|text| text.parse().ok());
        let address = attribute(tag, "pci_busid").and_then(|text| cards::address(&text));
        self.open.push(Open {
            sort,
            os,
            name,
            type_number,
            address,
            cpus,
            lowest: lowest.unwrap_or(u32::MAX),
            children: Vec::new(),
            memory: Vec::new(),
            worth,
        });
        Some(())
    }

    fn may_hold_memory(&self, os: Option<u32>) -> bool {
        let allowed = self.allowed_memory.as_ref().zip(os);
        allowed.is_none_or(|(allowed, os)| allowed.has(os))
    }

    fn leave(&mut self) {
        let Some(mut left) = self.open.pop() else {
            return;
        };
        if left.sort == Sort::Device {
            let place = self.open.iter().rev().find_map(|open| open.cpus.clone());
            let dialect = self.dialect.unwrap_or(Dialect::Numbers);
            let (class, fabric) = cards::class(left.type_number, dialect);
            self.devices.push(Plugged {
                device: Device {
                    name: left.name,
                    place: place.unwrap_or_default(),
                    class,
                    turn: None,
                },
                fabric,
                address: self.open.iter().rev().find_map(|open| open.address),
            });
            return;
        }
        left.children.sort_by_key(|(lowest, _)| *lowest);
        let beside = left.sort == Sort::MemoryCache
            || left.sort == Sort::Object(ObjKind::Numa) && left.children.is_empty();
        let mut inside: Vec<Object> = left.children.into_iter().flat_map(|(_, all)| all).collect();
        inside.append(&mut left.memory);
        // In dialect 1 a NUMA node that may not be used still has PUs inside.
        let usable = left.sort != Sort::Object(ObjKind::Numa) || self.may_hold_memory(left.os);
        if let (Sort::Object(kind), Worth::Kept, true) = (left.sort, left.worth, usable) {
            inside.push(Object {
                kind,
                logical: 0,
                os: left.os,
                cpus: left.cpus.unwrap_or_default(),
            });
        }
        match self.open.last_mut() {
            None => self.objects = inside,
            Some(around) => {
                if beside {
                    around.memory.append(&mut inside);
                } else {
                    around.children.push((left.lowest, inside));
                }
                if left.worth == Worth::Kept {
                    around.worth = Worth::Kept;
                }
            }
        }
    }

    fn machine(mut self) -> Option<Machine> {
        let mut allowed = Cpus::none();
        for pu in self
            .objects
            .iter()
            .filter(|object| object.kind == ObjKind::Hwthread)
        {
            allowed = allowed.or(&pu.cpus);
        }
        let memory = |object: &Object| object.kind == ObjKind::Numa;
        if self.memory_above && !self.objects.iter().any(memory) {
            self.objects.push(Object {
                kind: ObjKind::Numa,
                logical: 0,
                os: Some(0),
                cpus: allowed.clone(),
            });
        }
        for object in &mut self.objects {
            object.cpus = object.cpus.and(&allowed);
        }
        for device in &mut self.devices {
            device.device.place = device.device.place.and(&allowed);
        }
        let mut machine = Machine::new(self.objects)?;
        machine.devices = cards::in_order(self.devices);
        machine.latencies = self.latencies;
        Some(cards::with_gpus(machine))
    }
}

/// What an `object` element is; `None` when it does not say.
fn sort_of(tag: &BytesStart<'_>) -> Option<Sort> {
    Some(Sort::Object(match attribute(tag, "type")?.as_str() {
        "Machine" | "System" => ObjKind::Machine,
        "Package" | "Socket" => ObjKind::Package,
        "Die" => ObjKind::Die,
        "NUMANode" | "Node" => ObjKind::Numa,
        "L5Cache" => ObjKind::L5,
        "L4Cache" => ObjKind::L4,
        "L3Cache" => ObjKind::L3,
        "L2Cache" => ObjKind::L2,
        "L1Cache" => ObjKind::L1,
        "Core" => ObjKind::Core,
        "PU" => ObjKind::Hwthread,
        // Dialect 1: attributes say which cache it is.
        "Cache" if attribute(tag, "cache_type").as_deref() != Some("2") => {
            match attribute(tag, "depth")?.as_str() {
                "1" => ObjKind::L1,
                "2" => ObjKind::L2,
                "3" => ObjKind::L3,
                "4" => ObjKind::L4,
                _ => ObjKind::L5,
            }
        }
        "MemCache" => return Some(Sort::MemoryCache),
        "OSDev" => return Some(Sort::Device),
        _ => return Some(Sort::Nothing),
    }))
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let value = tag.try_get_attribute(name).ok()??;
    Some(value.value.into_owned())
}

/// `0x00000001,,0x0000ffff`: words of 32 bits, the highest first. An empty word is zero.
fn bitmap(text: &str) -> Cpus {
    let mut cpus = Cpus::none();
    for (word, digits) in (0..).zip(text.split(',').rev()) {
        let bits = u64::from_str_radix(digits.trim_start_matches("0x"), 16).unwrap_or(0);
        (0..64)
            .filter(|bit| bits >> bit & 1 == 1)
            .for_each(|bit| cpus.add(32 * word + bit));
    }
    cpus
}

/// An empty matrix for latencies between NUMA nodes (kind bit 4); `None` for other distances.
fn latency_matrix(tag: &BytesStart<'_>) -> Option<Latencies> {
    let kind: u32 = attribute(tag, "kind")?.parse().ok()?;
    let wanted = attribute(tag, "type")? == "NUMANode" && kind & 4 == 4;
    (wanted && attribute(tag, "indexing").as_deref() == Some("os")).then(|| Latencies {
        nodes_os: Vec::new(),
        values: Vec::new(),
    })
}

/// The file has values in lines of any length: cuts them into rows.
fn squared(read: Latencies) -> Latencies {
    let values: Vec<u64> = read.values.into_iter().flatten().collect();
    let rows = values
        .chunks(read.nodes_os.len().max(1))
        .map(<[u64]>::to_vec);
    Latencies {
        values: rows.collect(),
        nodes_os: read.nodes_os,
    }
}
