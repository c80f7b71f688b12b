//! What the guides of named machines print of their sites. Source: `lines/slurm/spec.md` 15.

use stowplan_engine::policy::ObjKind;

/// The site of a named machine, as far as its guide says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MachineSite {
    /// The name behind `builtin:`.
    pub name: &'static str,
    /// What Slurm calls a socket.
    pub socket: ObjKind,
    /// Words of `SelectTypeParameters`.
    pub parameters: &'static [&'static str],
    /// Threads per core of a job that says nothing of them.
    pub threads_per_core: u64,
    /// Cores that the site reserves, which the topology is without; and a node with all of them.
    pub reserved: Option<(u64, &'static str)>,
    /// Who says so.
    pub source: &'static str,
}

const MI250X_NODE: &str = "package:1 group:4 [numa] l3:2 l2:8 core:1 pu:2(indexes=2*64:1*2)";

/// All of them.
const SITES: [MachineSite; 3] = [
    MachineSite {
        name: "frontier",
        socket: ObjKind::L3,
        parameters: &[],
        threads_per_core: 1,
        reserved: Some((8, MI250X_NODE)),
        source: "OLCF Frontier user guide",
    },
    MachineSite {
        name: "lumi-g",
        socket: ObjKind::Package,
        parameters: &["cr_core", "cr_core_default_dist_block"],
        threads_per_core: 1,
        reserved: Some((8, MI250X_NODE)),
        source: "LUMI documentation, by the placements that it prints",
    },
    MachineSite {
        name: "lumi-c",
        socket: ObjKind::Package,
        parameters: &["cr_core", "cr_core_default_dist_block"],
        threads_per_core: 1,
        reserved: None,
        source: "LUMI documentation, by the placements that it prints",
    },
];

impl MachineSite {
    /// The site of a named machine; `None`: its guide says nothing, and Slurm's defaults hold.
    #[must_use]
    pub fn of(name: &str) -> Option<&'static Self> {
        SITES.iter().find(|own| own.name == name)
    }

    /// Its settings, as slurm.conf and the words of a job have them.
    #[must_use]
    pub fn settings(&self) -> String {
        let mut settings = Vec::new();
        if self.socket == ObjKind::L3 {
            settings.push("SlurmdParameters=l3cache_as_socket".to_owned());
        }
        if let Some(last) = self.parameters.last() {
            settings.push(format!(
                "SelectTypeParameters={}",
                last.to_ascii_uppercase()
            ));
        }
        settings.push(format!("--threads-per-core={}", self.threads_per_core));
        settings.join(", ")
    }
}
