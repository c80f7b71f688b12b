//! Machines of a few numbers: for the plain model cpu by cpu, for our rules by way of hwloc's XML.

use crate::choices::Choices;
use crate::input::topo::bits;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use stowplan::answers::openmp::Machine;
use stowplan_engine::table::cpusets::Cpusets;
use stowplan_engine::table::topologies::Topologies;
use stowplan_reference::threads::{Cpu, Hardware, Maker};

/// How OS numbers go over the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numbering {
    /// First threads of all cores, package by package, then second ones.
    CoresFirst,
    /// The threads of a core follow each other.
    ThreadsFirst,
    /// First threads, cores of the packages in turn.
    PackagesAlternate,
    /// The same, threads of a core together.
    PackagesAlternateThreadsFirst,
}

/// The shape of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Who made the cpus.
    pub maker: Maker,
    /// Packages, NUMA nodes a package, L3 a node, cores an L3, threads a core.
    pub counts: [u32; 5],
    /// Cores that share an L2.
    pub l2: u32,
    /// One L3 over all NUMA nodes of a package.
    pub l3_of_package: bool,
    /// So many cores with two threads and OS numbers first, then cores with one, four to an L2.
    pub performance: Option<u32>,
    /// How OS numbers go.
    pub numbering: Numbering,
}

/// A machine, for both.
#[derive(Clone, Debug)]
pub struct Known {
    /// Its shape.
    pub shape: Shape,
    /// As the plain model has it.
    pub plain: Hardware,
    /// As our rules see it.
    pub ours: Machine,
}

impl Shape {
    /// A shape of few objects.
    pub fn random(choices: &mut Choices<'_>) -> Self {
        let numberings = [
            Numbering::CoresFirst,
            Numbering::ThreadsFirst,
            Numbering::PackagesAlternate,
            Numbering::PackagesAlternateThreadsFirst,
        ];
        let maker = *choices.pick(&[Maker::Intel, Maker::Amd]);
        let counts = [
            *choices.pick(&[1, 2, 2, 3]),
            *choices.pick(&[1, 1, 2]),
            *choices.pick(&[1, 1, 2]),
            *choices.pick(&[2, 4, 3]),
            *choices.pick(&[1, 2, 2, 4]),
        ];
        let [_, numa, ..] = counts;
        Self {
            maker,
            counts,
            l2: if counts[3].is_multiple_of(2) && maker == Maker::Amd {
                2
            } else {
                1
            },
            l3_of_package: numa > 1 && choices.once_in(3),
            performance: None,
            numbering: *choices.pick(&numberings),
        }
    }

    /// The cpus, by package, core and thread.
    #[must_use]
    pub fn cpus(&self) -> Vec<Cpu> {
        let [packages, numa, l3, cores, smt] = self.counts;
        let own = numa * l3 * cores;
        let all = packages * own;
        let mut cpus = Vec::new();
        for package in 0..packages {
            for core in 0..own {
                let threads = self
                    .performance
                    .map_or(smt, |fast| if core < fast { 2 } else { 1 });
                for thread in 0..threads {
                    let os = match (self.performance, self.numbering) {
                        (Some(fast), _) if core < fast => 2 * core + thread,
                        (Some(fast), _) => fast + core,
                        (None, Numbering::CoresFirst) => thread * all + package * own + core,
                        (None, Numbering::ThreadsFirst) => (package * own + core) * smt + thread,
                        (None, Numbering::PackagesAlternate) => {
                            thread * all + core * packages + package
                        }
                        (None, Numbering::PackagesAlternateThreadsFirst) => {
                            (core * packages + package) * smt + thread
                        }
                    };
                    let l2 = match self.performance {
                        Some(fast) if core >= fast => fast + (core - fast) / 4,
                        Some(_) => core,
                        None => core / self.l2,
                    };
                    let l3 = if self.l3_of_package {
                        package
                    } else {
                        package * numa * l3 + core / cores
                    };
                    let number = package * own + core;
                    cpus.push(Cpu {
                        os,
                        package,
                        numa: package * numa + core / (self.counts[2] * cores),
                        caches: [number, package * own + l2, l3],
                        core: number,
                        thread,
                    });
                }
            }
        }
        cpus
    }
}

impl Known {
    /// A machine of a shape.
    ///
    /// # Panics
    /// The shape gives no sound topology.
    #[must_use]
    #[expect(clippy::expect_used, reason = "the XML is our own")]
    pub fn of(shape: Shape) -> Self {
        let cpus = shape.cpus();
        let text = xml(&shape, &cpus);
        let draft = stowplan_topo::xml::parse(text.as_bytes()).expect("it is sound XML");
        let (mut topologies, mut cpusets) = (Topologies::default(), Cpusets::default());
        let id = topologies
            .add(draft, &mut cpusets)
            .expect("it is a sound topology");
        let plain = Hardware {
            maker: shape.maker,
            cpus,
        };
        Self {
            shape,
            plain,
            ours: Machine::new(&topologies, &cpusets, id),
        }
    }
}

/// A machine as hwloc writes it.
#[must_use]
pub fn xml(shape: &Shape, cpus: &[Cpu]) -> String {
    let vendor = match shape.maker {
        Maker::Intel => "GenuineIntel",
        Maker::Amd => "AuthenticAMD",
    };
    let all: Vec<&Cpu> = cpus.iter().collect();
    let mut writer = Writer {
        text: String::new(),
        next: 1,
    };
    let own = writer.sets(&all);
    writer.text.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n");
    let _ = write!(
        writer.text,
        "<object type=\"Machine\" os_index=\"0\" {own}>"
    );
    for package in groups(&all, |cpu| cpu.package) {
        writer.open(
            "Package",
            &format!("os_index=\"{}\"", package[0].package),
            &package,
        );
        let _ = write!(writer.text, "<info name=\"CPUVendor\" value=\"{vendor}\"/>");
        if shape.l3_of_package {
            writer.open("L3Cache", L3, &package);
            writer.numas(&package, Caches::Outside);
            writer.close();
        } else {
            writer.numas(&package, Caches::Inside);
        }
        writer.close();
    }
    writer.text.push_str("</object>\n</topology>\n");
    writer.text
}

fn groups<'c>(cpus: &[&'c Cpu], of: impl Fn(&Cpu) -> u32) -> Vec<Vec<&'c Cpu>> {
    let mut parts: BTreeMap<u32, Vec<&Cpu>> = BTreeMap::new();
    for &cpu in cpus {
        parts.entry(of(cpu)).or_default().push(cpu);
    }
    let mut parts: Vec<Vec<&Cpu>> = parts.into_values().collect();
    parts.sort_by_key(|part| part.iter().map(|cpu| cpu.os).min());
    parts
}

/// The attributes of a cache that packages or parts of them share.
const L3: &str = "cache_size=\"1048576\" depth=\"3\" cache_linesize=\"64\" cache_associativity=\"8\" cache_type=\"0\"";

/// Where the L3 is: around the NUMA nodes, or in them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Caches {
    Outside,
    Inside,
}

struct Writer {
    text: String,
    next: u32,
}

impl Writer {
    fn sets(&mut self, cpus: &[&Cpu]) -> String {
        let cpuset = bits(cpus.iter().map(|cpu| cpu.os));
        let nodeset = bits(cpus.iter().map(|cpu| cpu.numa));
        self.next += 1;
        format!(
            "cpuset=\"{cpuset}\" complete_cpuset=\"{cpuset}\" nodeset=\"{nodeset}\" complete_nodeset=\"{nodeset}\" gp_index=\"{}\"",
            self.next
        )
    }

    fn open(&mut self, kind: &str, attributes: &str, cpus: &[&Cpu]) {
        let sets = self.sets(cpus);
        let _ = write!(self.text, "<object type=\"{kind}\" {attributes} {sets}>");
    }

    fn close(&mut self) {
        self.text.push_str("</object>");
    }

    fn numas(&mut self, cpus: &[&Cpu], caches: Caches) {
        let nodes = groups(cpus, |cpu| cpu.numa);
        let several = nodes.len() > 1;
        for node in nodes {
            if several {
                self.open("Group", "kind=\"0\" subkind=\"0\"", &node);
            }
            let attributes = format!("os_index=\"{}\" local_memory=\"1073741824\"", node[0].numa);
            self.open("NUMANode", &attributes, &node);
            self.close();
            match caches {
                Caches::Outside => self.l2(&node),
                Caches::Inside => {
                    for l3 in groups(&node, |cpu| cpu.caches[2]) {
                        self.open("L3Cache", L3, &l3);
                        self.l2(&l3);
                        self.close();
                    }
                }
            }
            if several {
                self.close();
            }
        }
    }

    fn l2(&mut self, cpus: &[&Cpu]) {
        for l2 in groups(cpus, |cpu| cpu.caches[1]) {
            self.open("L2Cache", "cache_size=\"65536\" depth=\"2\" cache_linesize=\"64\" cache_associativity=\"8\" cache_type=\"0\"", &l2);
            for core in groups(&l2, |cpu| cpu.core) {
                self.open("L1Cache", "cache_size=\"32768\" depth=\"1\" cache_linesize=\"64\" cache_associativity=\"8\" cache_type=\"1\"", &core);
                self.open("Core", &format!("os_index=\"{}\"", core[0].core), &core);
                let mut threads = core.clone();
                threads.sort_by_key(|cpu| cpu.os);
                for cpu in threads {
                    self.open("PU", &format!("os_index=\"{}\"", cpu.os), &[cpu]);
                    self.close();
                }
                self.close();
                self.close();
            }
            self.close();
        }
    }
}
