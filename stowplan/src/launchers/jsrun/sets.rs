//! Resource sets of one node: which cores and GPUs each has. Source: `lines/jsrun/spec.md` 3.

use super::asks::{Amount, Asks, Latency};
use crate::launchers::line::LineAsked;
use crate::launchers::line::usable::Usable;
use roaring::RoaringBitmap;
use stowplan_engine::count::counted;
use stowplan_engine::policy::ObjKind;

/// A resource set.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct ResourceSet {
    /// The usable cpus of each of its cores.
    pub(super) cores: Vec<RoaringBitmap>,
    /// Its GPUs, by visible number.
    pub(super) gpus: Vec<u32>,
}

/// The sets that a node holds, and why there are no more of them.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct NodeSets {
    /// The sets, in order.
    pub(super) sets: Vec<ResourceSet>,
    /// What ends them.
    pub(super) end: End,
}

/// What ends the resource sets of a node.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum End {
    /// There are as many as were asked for.
    Asked,
    /// The node has nothing left that the next one could have.
    Full(String),
    /// What the next one would have is not known.
    Unknown(String),
}

/// A node's cores by package, and its GPUs with the package of each.
struct Node {
    packages: Vec<Vec<RoaringBitmap>>,
    gpus: Vec<(u32, Option<usize>)>,
    /// Cores of each package that are given out.
    used: Vec<usize>,
}

/// Cuts up to `most` resource sets out of a node.
///
/// Cost: the cores of the node.
pub(super) fn cut(asked: &LineAsked<'_>, asks: &Asks, usable: &Usable, most: u32) -> NodeSets {
    let mut node = node(asked, usable);
    let cores = match asks.cores {
        Amount::Count(cores) => cores as usize,
        Amount::All => node.cores(),
    };
    let gpus = match asks.gpus {
        Amount::Count(gpus) => gpus as usize,
        Amount::All => node.gpus.len(),
    };
    let mut sets = Vec::new();
    let end = loop {
        if sets.len() >= most as usize {
            break End::Asked;
        }
        if cores + gpus == 0 {
            let why = "a resource set without cores and GPUs is not known here";
            break End::Unknown(why.to_owned());
        }
        let first = sets.len() * gpus;
        let Some(own) = node.gpus.get(first..first + gpus) else {
            let why = format!(
                "a node has {}, and a resource set takes {gpus}",
                counted(node.gpus.len() as u64, "GPU")
            );
            break End::Full(why);
        };
        let own = own.to_vec();
        let beside = gpus > 0 && asks.latency == Latency::Gpu;
        let taken = match beside {
            true => node.beside(&own, cores),
            false => node.next(cores),
        };
        match taken {
            Ok(cores) => sets.push(ResourceSet {
                cores,
                gpus: own.into_iter().map(|(gpu, _)| gpu).collect(),
            }),
            Err(why) => break why,
        }
    };
    NodeSets { sets, end }
}

fn node(asked: &LineAsked<'_>, usable: &Usable) -> Node {
    let topologies = asked.hardware.topologies();
    let cores = usable.objects(asked, ObjKind::Core);
    let packages = usable.objects(asked, ObjKind::Package);
    let of_package = |package: &RoaringBitmap| {
        let inside = cores.iter().filter(|core| !core.is_disjoint(package));
        inside.cloned().collect::<Vec<_>>()
    };
    let near = |logical: u32| {
        let object = topologies.object(usable.topology, ObjKind::Gpu, logical)?;
        let near = asked.hardware.cpusets().get(topologies.cpuset(object));
        let mut found = (0..)
            .zip(&packages)
            .filter(|(_, own)| !own.is_disjoint(near));
        let first = found.next()?;
        found.next().is_none().then_some(first.0)
    };
    let gpus = (0..).zip(topologies.gpus(usable.topology));
    let gpus = gpus.map(|(logical, gpu)| (gpu.visible, near(logical)));
    Node {
        packages: packages.iter().map(of_package).collect(),
        gpus: gpus.collect(),
        used: vec![0; packages.len()],
    }
}

impl Node {
    fn cores(&self) -> usize {
        self.packages.iter().map(Vec::len).sum()
    }

    /// The next free cores, core after core: inside a package, or whole packages.
    fn next(&mut self, cores: usize) -> Result<Vec<RoaringBitmap>, End> {
        let free = |at: usize| self.packages[at].len() - self.used[at];
        let at = (0..self.packages.len()).find(|&at| free(at) > 0);
        let Some(at) = at else {
            return Err(self.full(cores));
        };
        if free(at) >= cores {
            return Ok(self.take(at, cores));
        }
        let mut taken = Vec::new();
        let mut packages = at..self.packages.len();
        while taken.len() < cores {
            let Some(next) = packages.next() else {
                return Err(self.full(cores));
            };
            let whole = self.packages[next].len();
            if self.used[next] > 0 || taken.len() + whole > cores {
                return Err(End::Unknown(format!(
                    "whether a resource set of {cores} cores may lie in two packages is not known"
                )));
            }
            taken.extend(self.take(next, whole));
        }
        Ok(taken)
    }

    /// The next free cores of the package of some GPUs.
    fn beside(
        &mut self,
        gpus: &[(u32, Option<usize>)],
        cores: usize,
    ) -> Result<Vec<RoaringBitmap>, End> {
        let package = |gpu: &(u32, Option<usize>)| gpu.1;
        let first = gpus.first().and_then(package);
        let Some(first) = first else {
            return Err(End::Unknown(
                "the package of its GPU is not known".to_owned(),
            ));
        };
        if gpus.iter().map(package).any(|own| own != Some(first)) {
            return match cores == self.cores() {
                true => self.next(cores),
                false => Err(End::Unknown(
                    "which cores a resource set with GPUs of two packages gets is not known"
                        .to_owned(),
                )),
            };
        }
        if self.packages[first].len() - self.used[first] < cores {
            return Err(End::Unknown(format!(
                "the package of its GPUs has fewer than {cores} free cores, and whether others are taken is not known"
            )));
        }
        Ok(self.take(first, cores))
    }

    fn full(&self, cores: usize) -> End {
        End::Full(format!(
            "a node has {}, and a resource set takes {cores}",
            counted(self.cores() as u64, "usable core")
        ))
    }

    fn take(&mut self, package: usize, cores: usize) -> Vec<RoaringBitmap> {
        let first = self.used[package];
        self.used[package] += cores;
        self.packages[package][first..first + cores].to_vec()
    }
}
