//! Who talks to whom: scores of plans, and placements that would be better.

use crate::answers::advice::json::{advice_json, score_json};
use crate::answers::advice::policies::{Tried, policies};
use crate::answers::advice::{self, Said, UNWRITTEN, say};
use crate::job::draft::Draft;
use crate::job::files::GivenFiles;
use crate::job::place::place_on_network;
use crate::score::advise::Answer;
use crate::score::figures::{Matrices, score_on};
use crate::score::network::OnNetwork;
use crate::score::order::file;
use crate::score::pattern::Part;
use crate::score::tree::places;
use crate::{Error, Machine, Network, Plan, workers};
use std::fmt;
use std::io::{BufRead, Cursor};
use std::sync::Arc;
use stowplan_engine::stage::resolve::Files as _;

/// Who talks to whom, and on which network (`docs/advice.md`).
///
/// ```
/// use stowplan::{Job, Machine, Network, Plan, Topology, Traffic};
/// let machine = Machine::uniform(Topology::parse("core:8 pu:1")?);
/// let words = ["-n", "32", "-H", "n[0-3]:8", "--map-by", "slot", "./x"];
/// let traffic = Traffic::new("halo:8x4")?.network(Network::new("tree switch:2 node:2 n[0-3]"));
/// let score = Plan::new(&Job::from_command_line(words)?, &machine)?.score(&traffic)?;
/// assert!(score.json().contains(r#"{"level":"switch","leave":8,"#));
/// let advice = traffic.advise(words, &machine)?;
/// assert!(advice.json().contains(r#""order":"strips:8x4""#));
/// # Ok::<(), stowplan::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Traffic {
    parts: Vec<Part>,
    files: GivenFiles,
    network: Option<Network>,
    distances: Option<String>,
    by: Option<String>,
}

/// Matrices that were given.
struct Given<'f>(&'f GivenFiles);

impl Matrices for Given<'_> {
    fn open(&self, name: &str) -> Result<Box<dyn BufRead + Send + '_>, String> {
        Ok(Box::new(Cursor::new(self.0.read(name)?)))
    }
}

fn part(pattern: &str) -> Result<Part, Error> {
    Part::read(pattern).map_err(|error| advice::refused(&error).into())
}

impl Traffic {
    /// A pattern, as `--pattern` takes it: `halo:50x48`, `ring`, `alltoall:8`, `file:NAME` …
    ///
    /// # Errors
    /// `bad-pattern`.
    /// ```
    /// assert_eq!(stowplan::Traffic::new("hallo:4x4").unwrap_err().class(), "bad-pattern");
    /// ```
    pub fn new(pattern: &str) -> Result<Self, Error> {
        Ok(Self {
            parts: vec![part(pattern)?],
            files: GivenFiles::default(),
            network: None,
            distances: None,
            by: None,
        })
    }

    /// Adds a pattern. Patterns add up.
    ///
    /// # Errors
    /// `bad-pattern`.
    /// ```
    /// let both = stowplan::Traffic::new("halo:4x4")?.and("1=ring")?;
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn and(mut self, pattern: &str) -> Result<Self, Error> {
        self.parts.push(part(pattern)?);
        Ok(self)
    }

    /// Gives the contents of a file that a pattern or the words of a job name.
    /// ```
    /// let traffic = stowplan::Traffic::new("file:m")?.file("m", "0,1,10\n1,0,10\n");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn file(mut self, name: &str, text: &str) -> Self {
        self.files.give(name, text);
        self
    }

    /// The network on which the nodes are.
    /// ```
    /// # use stowplan::{Network, Traffic};
    /// let traffic = Traffic::new("ring")?.network(Network::new("tree switch:2 node:2 n[0-3]"));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn network(mut self, network: Network) -> Self {
        self.network = Some(network);
        self
    }

    /// Distances within a node, then by the level of the network at which nodes meet, from the lowest: `0:1:3`.
    /// ```
    /// let traffic = stowplan::Traffic::new("ring")?.distances("0:1:3");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn distances(mut self, numbers: &str) -> Self {
        self.distances = Some(numbers.to_owned());
        self
    }

    /// What advice on a network goes by: `sum`, `pair`, `J`, `node` or a level. Without it, first the nodes, then the sum.
    /// ```
    /// let traffic = stowplan::Traffic::new("ring")?.by("sum");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn by(mut self, word: &str) -> Self {
        self.by = Some(word.to_owned());
        self
    }

    /// Placements that send less of this traffic between nodes, for the job of a command line: the policies that can place it as
    /// asked, and orders of its ranks.
    ///
    /// # Errors
    /// As [`Plan::new`]; `bad-pattern`, `bad-network`.
    ///
    /// Cost: `docs/scale.md`, advice.
    /// ```
    /// # use stowplan::{Machine, Topology, Traffic};
    /// # let machine = Machine::uniform(Topology::parse("core:8 pu:1")?);
    /// let words = ["-n", "32", "-H", "n[0-3]:8", "--map-by", "slot", "./x"];
    /// let advice = Traffic::new("halo:8x4")?.advise(words, &machine)?;
    /// assert!(advice.len() > 1);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn advise(
        &self,
        words: impl IntoIterator<Item = impl Into<String>>,
        machine: &Machine,
    ) -> Result<Advice, Error> {
        let words: Vec<String> = words.into_iter().map(Into::into).collect();
        // Options of the machine or of the output are refused here, because they are not words of a job.
        Draft::from_words(&words)?.finish()?;
        let mut files = self.files.clone();
        let network = self.network.as_ref();
        let mut line = network.map_or_else(Vec::new, |network| network.options(&mut files));
        line.extend(words);
        workers::share(|| self.advised(&line, &files, machine))?
    }

    fn advised(
        &self,
        words: &[String],
        files: &GivenFiles,
        machine: &Machine,
    ) -> Result<Advice, Error> {
        let place = |asked| {
            let (mapped, on) = place_on_network(machine.inner(), asked, files)?;
            Ok((mapped.plan, on.map(Arc::new)))
        };
        let app = self.parts.first().map_or(0, |part| part.app as usize);
        let tried = policies(words, app, &place)?;
        let on: Option<&OnNetwork> = tried[0].policy.on.as_ref().map(|(on, _)| &**on);
        let by = advice::by((self.by.as_deref(), self.distances.as_deref()), on)?;
        let found = advice::found(&tried, &self.parts, &by, &Given(files))?;
        let said: Vec<Said<'_>> = found
            .answers
            .iter()
            .map(|answer| say(answer, &tried[answer.policy], UNWRITTEN))
            .collect();
        let mut json = Vec::new();
        let written = advice_json(&found, &said, on, &mut json);
        written.map_err(|error| Error::told("internal", &error.to_string()))?;
        let words = said.iter().map(|said| said.words.clone()).collect();
        Ok(Advice {
            json: line(json),
            words,
            answers: found.answers,
            tried,
        })
    }
}

fn line(json: Vec<u8>) -> String {
    String::from_utf8(json)
        .unwrap_or_default()
        .trim_end()
        .to_owned()
}

/// How much traffic leaves each level, of a plan and a pattern.
/// ```
/// # use stowplan::{Job, Machine, Plan, Topology, Traffic};
/// # let machine = Machine::uniform(Topology::parse("core:8 pu:1")?);
/// let plan = Plan::new(&Job::from_command_line(["-n", "4", "-H", "a:2,b:2", "./x"])?, &machine)?;
/// let score = plan.score(&Traffic::new("ring")?)?;
/// assert!(score.json().starts_with(r#"{"version":1,"ranks":4,"nodes":2,"patterns":["ring"],"unit":"edges","edges":8,"#));
/// # Ok::<(), stowplan::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Score {
    json: String,
}

impl Score {
    /// The figures as a line of JSON, as `stowplan score --format json` writes them.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology, Traffic};
    /// # let machine = Machine::uniform(Topology::parse("core:8 pu:1")?);
    /// let plan = Plan::new(&Job::from_command_line(["-n", "4", "-H", "a:2,b:2", "./x"])?, &machine)?;
    /// assert!(plan.score(&Traffic::new("ring")?)?.json().ends_with('}'));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn json(&self) -> &str {
        &self.json
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.json)
    }
}

/// Placements of a job, the best first.
/// ```
/// # use stowplan::{Machine, Topology, Traffic};
/// # let machine = Machine::uniform(Topology::parse("core:8 pu:1")?);
/// # let words = ["-n", "32", "-H", "n[0-3]:8", "--map-by", "slot", "./x"];
/// let advice = Traffic::new("halo:8x4")?.advise(words, &machine)?;
/// assert!(!advice.is_empty());
/// # Ok::<(), stowplan::Error>(())
/// ```
pub struct Advice {
    json: String,
    words: Vec<Vec<String>>,
    answers: Vec<Answer>,
    tried: Vec<Tried>,
}

impl Advice {
    /// The answers as a line of JSON, as `stowplan advise --format json` writes them.
    /// ```
    /// # use stowplan::{Machine, Topology, Traffic};
    /// # let machine = Machine::uniform(Topology::parse("core:8 pu:1")?);
    /// # let words = ["-n", "32", "-H", "n[0-3]:8", "--map-by", "slot", "./x"];
    /// let advice = Traffic::new("halo:8x4")?.advise(words, &machine)?;
    /// assert!(advice.json().contains(r#""order":"strips:8x4""#));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn json(&self) -> &str {
        &self.json
    }

    /// How many answers there are.
    /// ```
    /// # use stowplan::{Machine, Topology, Traffic};
    /// # let machine = Machine::uniform(Topology::parse("core:8 pu:1")?);
    /// # let words = ["-n", "32", "-H", "n[0-3]:8", "--map-by", "slot", "./x"];
    /// let advice = Traffic::new("halo:8x4")?.advise(words, &machine)?;
    /// assert!(advice.len() > 1);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Whether there are none.
    /// ```
    /// # use stowplan::{Machine, Topology, Traffic};
    /// # let machine = Machine::uniform(Topology::parse("core:8 pu:1")?);
    /// # let words = ["-n", "32", "-H", "n[0-3]:8", "--map-by", "slot", "./x"];
    /// let advice = Traffic::new("halo:8x4")?.advise(words, &machine)?;
    /// assert!(!advice.is_empty());
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// The map, rank, bind and order words of an answer, which replace those of the job. `None` beyond the last answer.
    /// ```
    /// # use stowplan::{Machine, Topology, Traffic};
    /// # let machine = Machine::uniform(Topology::parse("core:8 pu:1")?);
    /// # let words = ["-n", "32", "-H", "n[0-3]:8", "--map-by", "slot", "./x"];
    /// let advice = Traffic::new("halo:8x4")?.advise(words, &machine)?;
    /// assert!(advice.words(0).is_some_and(|words| words.contains(&"--map-by".to_owned())));
    /// assert_eq!(advice.words(advice.len()), None);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn words(&self, answer: usize) -> Option<&[String]> {
        self.words.get(answer).map(Vec::as_slice)
    }

    /// The order of ranks of an answer, a line a node: the file that MPICH reads as `MPICH_RANK_ORDER`, and `--rank-order file:`.
    /// `None` beyond the last answer.
    /// ```
    /// # use stowplan::{Machine, Topology, Traffic};
    /// # let machine = Machine::uniform(Topology::parse("core:8 pu:1")?);
    /// # let words = ["-n", "32", "-H", "n[0-3]:8", "--map-by", "slot", "./x"];
    /// let advice = Traffic::new("halo:8x4")?.advise(words, &machine)?;
    /// assert_eq!(advice.order(0).map(|file| file.lines().count()), Some(4));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn order(&self, answer: usize) -> Option<String> {
        let own = self.answers.get(answer)?;
        let plan = &self.tried[own.policy].policy.plan;
        let before = places(plan);
        let nodes = before.windows(2).map(|two| two[1] - two[0]);
        Some(file::write(&own.ranks(plan), nodes))
    }
}

/// Cost: the ranks, for each answer.
impl PartialEq for Advice {
    fn eq(&self, other: &Self) -> bool {
        let orders = || (0..self.len()).all(|answer| self.order(answer) == other.order(answer));
        self.json == other.json && orders()
    }
}

impl Eq for Advice {}

impl fmt::Debug for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Advice({} answers)", self.len())
    }
}

impl Plan {
    /// How much of a pattern's traffic leaves each level of the machine, and of the network if there is one.
    ///
    /// # Errors
    /// `bad-pattern`, `bad-network`, `job-too-large`; `bad-plan` for a plan from a broadcast, which does not have the nodes' hardware.
    ///
    /// Cost: `docs/scale.md`, scores.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology, Traffic};
    /// # let machine = Machine::uniform(Topology::parse("core:8 pu:1")?);
    /// let plan = Plan::new(&Job::from_command_line(["-n", "4", "-H", "a:2,b:2", "./x"])?, &machine)?;
    /// assert!(plan.score(&Traffic::new("ring")?)?.json().contains(r#"{"level":"node","leave":4,"worst":2}"#));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn score(&self, traffic: &Traffic) -> Result<Score, Error> {
        self.whole()?;
        let names = &self.inner().world().names;
        let on = traffic.network.as_ref().map(|network| {
            let read = Arc::new(network.read(Some(names))?);
            OnNetwork::of(read, names)
                .map_err(|error| Error::told("bad-network", &error.to_string()))
        });
        let on = on.transpose()?;
        let distances = advice::distances(traffic.distances.as_deref(), on.as_ref())?;
        let found = workers::share(|| {
            let matrices = Given(&traffic.files);
            score_on(self.inner(), &traffic.parts, &matrices, on.as_ref())
        })?;
        let found = found.map_err(|error| advice::refused(&error))?;
        let mut json = Vec::new();
        let written = score_json(&found, &traffic.parts, distances.as_deref(), &mut json);
        written.map_err(|error| Error::told("internal", &error.to_string()))?;
        Ok(Score { json: line(json) })
    }
}
