//! Networks above the nodes: switches, groups, tori.

use crate::Error;
use crate::answers::network_json;
use crate::job::files::GivenFiles;
use crate::job::named_nodes::hosts;
use crate::score::network::{self, Asked, BadNetwork};
use std::fmt;
use stowplan_engine::table::names::Names;

/// The name under which the contents of a network's file are given.
const FILE: &str = "network";

/// A network above the nodes, as `--network` takes it: in words (`tree switch:4 node:16 n[0-63]`, `builtin:NAME HOSTS`,
/// `names TEMPLATE`), or the contents of a file (`topology.conf`, `topology.yaml`, the answer of `scontrol show topology`, rows,
/// addresses). Names of machines and templates go by the hosts of a job, so a network is read when these are known.
///
/// ```
/// use stowplan::Network;
/// let network = Network::new("tree switch:2 node:2 w[0-3]");
/// assert!(network.to_json(None)?.starts_with(r#"{"version":1,"kind":"tree","levels":[{"level":"switch","#));
/// let file = Network::new("SwitchName=s0 Nodes=w[0-1]\nSwitchName=s1 Nodes=w[2-3]\nSwitchName=top Switches=s[0-1]\n");
/// assert_eq!(Network::new(&file.topology_conf(None)?).to_json(None)?, file.to_json(None)?);
/// assert_eq!(Network::new("tree node").to_json(None).unwrap_err().class(), "bad-network");
/// # Ok::<(), stowplan::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Network {
    text: String,
    name: Option<String>,
    levels: Option<String>,
}

impl Network {
    /// A network in words, or as the contents of a file.
    /// ```
    /// let network = stowplan::Network::new("torus 4x4x2 w[01-32]");
    /// assert!(network.to_json(None)?.contains(r#""kind":"torus""#));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            name: None,
            levels: None,
        }
    }

    /// Picks a topology of a `topology.yaml` by its name.
    /// ```
    /// use stowplan::Network;
    /// let text = "---\n- topology: one\n  tree:\n    switches:\n      - switch: s0\n        nodes: a,b\n";
    /// assert!(Network::new(text).named("one").to_json(None).is_ok());
    /// assert!(Network::new(text).named("two").to_json(None).is_err());
    /// ```
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Names some or all of the levels, from the lowest up, with commas between.
    /// ```
    /// let network = stowplan::Network::new("tree switch:2 node:2 w[0-3]").levels("rack");
    /// assert!(network.to_json(None)?.contains(r#""level":"rack""#));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn levels(mut self, words: &str) -> Self {
        self.levels = Some(words.to_owned());
        self
    }

    /// The shape as a line of JSON, as `stowplan topo show --network` writes it. `nodes`: the hosts, for names of machines and
    /// templates.
    ///
    /// # Errors
    /// `bad-network`, `bad-hostlist`.
    ///
    /// Cost: linear in the text and in the nodes.
    /// ```
    /// let network = stowplan::Network::new("names x{group}c{chassis}*");
    /// assert!(network.to_json(Some("x1c0s0,x1c0s1,x2c0s0"))?.contains(r#""name":"x2c0""#));
    /// assert_eq!(network.to_json(None).unwrap_err().class(), "bad-network");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn to_json(&self, nodes: Option<&str>) -> Result<String, Error> {
        let network = self.of_hosts(nodes)?;
        Ok(network_json::json(&network).trim_end().to_owned())
    }

    /// The tree as Slurm's `topology.conf`. Read again, it has the same objects.
    ///
    /// # Errors
    /// As [`Network::to_json`], and `bad-network` for a network that is no tree.
    /// ```
    /// let network = stowplan::Network::new("tree switch:2 node:2 w[0-3]");
    /// assert!(network.topology_conf(None)?.starts_with("SwitchName="));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn topology_conf(&self, nodes: Option<&str>) -> Result<String, Error> {
        let network = self.of_hosts(nodes)?;
        network::topology_conf(&network).map_err(|error| refused(&error))
    }

    fn of_hosts(&self, nodes: Option<&str>) -> Result<network::Network, Error> {
        let mut names = Names::default();
        for range in nodes.map(hosts).transpose()?.into_iter().flatten() {
            names.add(&range).map_err(|_| {
                Error::told("bad-hostlist", "these are more nodes than a job may have")
            })?;
        }
        let network = self.read(nodes.map(|_| &names))?;
        if nodes.is_some() {
            network
                .numbers_of(&names)
                .map_err(|error| refused(&error))?;
        }
        Ok(network)
    }

    /// The network of a job's nodes.
    pub(crate) fn read(&self, names: Option<&Names>) -> Result<network::Network, Error> {
        let asked = Asked {
            text: self.word(),
            levels: self.levels.clone(),
        };
        let file = |path: &str| {
            if path == FILE {
                return Ok(self.text.as_bytes().to_vec());
            }
            Err("files are not opened here: their contents are given".to_owned())
        };
        network::read(&asked, names, &file).map_err(|error| refused(&error))
    }

    /// Whether the text is the contents of a file.
    fn is_contents(&self) -> bool {
        let text = self.text.trim();
        let first = text.split_whitespace().next().unwrap_or_default();
        text.contains('\n') || first.contains('=') || first.starts_with(['#', '-'])
    }

    /// What `--network` is given.
    fn word(&self) -> String {
        match (&self.name, self.is_contents()) {
            (Some(name), true) => format!("{FILE}#{name}"),
            (None, true) => FILE.to_owned(),
            (_, false) => self.text.clone(),
        }
    }

    /// The options of a job that is on this network; its file is added to `files`.
    pub(crate) fn options(&self, files: &mut GivenFiles) -> Vec<String> {
        let mut words = vec!["--network".to_owned(), self.word()];
        if let Some(levels) = &self.levels {
            words.extend(["--network-levels".to_owned(), levels.clone()]);
        }
        if self.is_contents() {
            files.give(FILE, &self.text);
        }
        words
    }
}

fn refused(error: &BadNetwork) -> Error {
    Error::told(BadNetwork::CLASS, &error.to_string())
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Network({:?})",
            self.text.lines().next().unwrap_or_default()
        )
    }
}
