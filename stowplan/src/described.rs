//! Jobs: apps with their policies, hosts and counts.

use crate::app::Policies;
use crate::job::args::{JobArgs, MapArgs};
use crate::job::draft::{self, Draft, Whose};
use crate::job::files::GivenFiles;
use crate::job::line::launched::Launched;
use crate::job::our_words::of_another;
use crate::job::typed::Typed;
use crate::job_words::Read;
use crate::policy::{BindTo, MapBy, Policy, RankBy};
use crate::{App, Error};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};
use stowplan_engine::plan::bytes::ReadingRemark;
use stowplan_engine::spawn::SpawnRequest;

/// A job to be placed: apps with their policies, hosts and process counts, and the files that they name. Cheap to clone.
///
/// The words of a job are valid. [`Plan::new`](crate::Plan::new) says whether the job fits a machine. Two jobs are equal when their
/// bytes are equal.
///
/// ```
/// use stowplan::{App, Job};
/// let job = Job::builder()
///     .map_by("core")
///     .app(App::new("./ocean").procs(64).hosts("n[0-3]:16"))
///     .app(App::new("./io").procs(4).map_by("ppr:1:node"))
///     .build()?;
/// let line = Job::from_command_line("-n 64 -H n[0-3]:16 --map-by core ./ocean".split(' '))?;
/// assert_ne!(job, line);
/// # Ok::<(), stowplan::Error>(())
/// ```
#[derive(Clone)]
pub struct Job {
    inner: Arc<Inner>,
}

struct Inner {
    job: draft::Job,
    /// What its words come to, once somebody asked.
    read: OnceLock<Read>,
}

impl Job {
    /// Starts the description of a job.
    /// ```
    /// # use stowplan::{App, Job};
    /// let job = Job::builder().app(App::new("./a").hosts("a:4")).build()?;
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn builder() -> JobBuilder {
        JobBuilder::default()
    }

    /// Reads the words after `prterun` on a command line, or a launcher's own line, as `stowplan map` takes them. What the machine
    /// is, and what the output, is said elsewhere: `--topo`, `--head`, `--format`, `-o` … are refused as `bad-option`.
    ///
    /// # Errors
    /// The first wrong option, word or value, or words that contradict each other.
    /// ```
    /// # use stowplan::Job;
    /// let job = Job::from_command_line(["-n", "8", "--map-by", "core", "./a", ":", "-n", "1", "./b"])?;
    /// let refused = Job::from_command_line(["--topo", "core:4", "./a"]).unwrap_err();
    /// assert_eq!(refused.class(), "bad-option");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn from_command_line(
        words: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Self, Error> {
        let words: Vec<String> = words.into_iter().map(Into::into).collect();
        Self::of_draft(&Draft::from_words(&words)?)
    }

    /// As [`Job::from_command_line`], with the contents of files that the words name.
    ///
    /// # Errors
    /// As [`Job::from_command_line`]; `job-too-large` for a file that is larger than a text may be.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// let words = ["--hostfile", "hosts", "-n", "3", "./a"];
    /// let job = Job::from_command_line_with(words, [("hosts", "a slots=2\nb slots=2\n")])?;
    /// let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// assert_eq!(Plan::new(&job, &machine)?.nodes().len(), 2);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn from_command_line_with(
        words: impl IntoIterator<Item = impl Into<String>>,
        files: impl IntoIterator<Item = (impl AsRef<str>, impl AsRef<str>)>,
    ) -> Result<Self, Error> {
        let words: Vec<String> = words.into_iter().map(Into::into).collect();
        let mut draft = Draft::from_words(&words)?;
        for (name, text) in files {
            draft.set_file(name.as_ref(), text.as_ref())?;
        }
        Self::of_draft(&draft)
    }

    /// Reads a spawn request in JSON (`docs/request.schema.json`).
    ///
    /// # Errors
    /// `bad-request`, `bad-attribute`, or the class of an error in its words.
    /// ```
    /// # use stowplan::Job;
    /// let job = Job::from_json(r#"{"apps":[{"maxprocs":2,"info":{"PMIX_MAPBY":"slot"}}]}"#)?;
    /// assert_eq!(Job::from_json("{").unwrap_err().class(), "bad-request");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn from_json(text: &str) -> Result<Self, Error> {
        Self::of_draft(&Draft::from_json(text)?)
    }

    /// Reads what [`Job::to_bytes`] wrote. If the job is refused later, the class is the same as for the original job. Its words
    /// did not travel, so the error names the policy and has neither [`Error::text`] nor [`Error::span`].
    ///
    /// # Errors
    /// `bad-request` when the bytes are foreign, cut, damaged or of another version.
    /// ```
    /// # use stowplan::Job;
    /// let job = Job::from_command_line(["-n", "8", "./a"])?;
    /// assert_eq!(Job::from_bytes(&job.to_bytes())?, job);
    /// assert_eq!(Job::from_bytes(b"STOW").unwrap_err().class(), "bad-request");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Self::of_draft(&Draft::from_bytes(bytes)?)
    }

    /// The job and its files in bytes, for one process to relay to another. The same job gives the same bytes.
    /// ```
    /// # use stowplan::Job;
    /// let job = Job::from_command_line(["-n", "8", "--hostfile", "hosts", "./a"])?;
    /// assert!(job.to_bytes().starts_with(b"STOWJOB"));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let bytes = self.inner.job.to_bytes();
        bytes.expect("what can be relayed was checked when the job was made")
    }

    /// The job of a draft. The bindings make their jobs this way.
    #[doc(hidden)]
    pub fn of_draft(draft: &Draft) -> Result<Self, Error> {
        let job = draft.finish()?;
        // A job that is too large to travel is refused here.
        job.to_bytes()?;
        Ok(Self {
            inner: Arc::new(Inner {
                job,
                read: OnceLock::new(),
            }),
        })
    }

    pub(crate) fn asked(&self) -> MapArgs {
        self.inner.job.asked.clone()
    }

    /// Whether it is the line of a launcher that is not of prterun's family.
    pub(crate) fn is_line(&self) -> bool {
        of_another(&self.inner.job.asked.job).is_some()
    }

    /// How it was read, if it is a line of prterun's family.
    pub(crate) fn reading(&self) -> Option<ReadingRemark> {
        let line = self.inner.job.asked.job.line.clone()?;
        Some(Launched::by_our_rules(line).remark())
    }

    /// What it was made of.
    pub(crate) fn typed(&self) -> &Typed {
        &self.inner.job.typed
    }

    pub(crate) fn request(&self) -> &SpawnRequest {
        &self.inner.job.asked.taken.request
    }

    pub(crate) fn args(&self) -> &JobArgs {
        &self.inner.job.asked.job
    }

    pub(crate) fn read(&self) -> &Read {
        self.inner
            .read
            .get_or_init(|| Read::new(&self.inner.job.asked, self.files()))
    }

    pub(crate) fn files(&self) -> &GivenFiles {
        &self.inner.job.files
    }
}

impl PartialEq for Job {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner) || self.to_bytes() == other.to_bytes()
    }
}

impl Eq for Job {}

impl Hash for Job {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.to_bytes().hash(state);
    }
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let apps = self.request().apps().len();
        write!(f, "Job({apps} apps)")
    }
}

/// A job that is being described. [`JobBuilder::build`] reports what is wrong in its words.
///
/// ```
/// use stowplan::{App, BindTo, Job, MapBy, ObjKind, RankBy};
/// let job = Job::builder()
///     .map_by(MapBy::Object(ObjKind::Core))
///     .rank_by(RankBy::Slot)
///     .bind_to(BindTo::Object(ObjKind::Core))
///     .app(App::new("./ocean").hosts("a:4"))
///     .build()?;
/// # Ok::<(), stowplan::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct JobBuilder {
    policies: Policies,
    apps: Vec<App>,
    files: Vec<(String, String)>,
    env: Vec<(String, String)>,
}

impl JobBuilder {
    /// Sets the map policy of the job, for apps that have none of their own: a [`MapBy`], or text such as `core:pe=2`.
    /// ```
    /// # use stowplan::{App, Job, MapBy, ObjKind};
    /// let text = Job::builder().map_by("core").app(App::new("./a")).build()?;
    /// let typed = Job::builder().map_by(MapBy::Object(ObjKind::Core)).app(App::new("./a")).build()?;
    /// assert_eq!(text, typed);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn map_by(mut self, policy: impl Into<Policy<MapBy>>) -> Self {
        self.policies.map = Some(policy.into());
        self
    }

    /// Sets the rank policy of the job: the order in which processes get their ranks.
    /// ```
    /// # use stowplan::{App, Job, RankBy};
    /// let job = Job::builder().rank_by(RankBy::Node).app(App::new("./a")).build()?;
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn rank_by(mut self, policy: impl Into<Policy<RankBy>>) -> Self {
        self.policies.rank = Some(policy.into());
        self
    }

    /// Sets the bind policy of the job: what processes are bound to.
    /// ```
    /// # use stowplan::{App, Job};
    /// let job = Job::builder().bind_to("core:if-supported").app(App::new("./a")).build()?;
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn bind_to(mut self, policy: impl Into<Policy<BindTo>>) -> Self {
        self.policies.bind = Some(policy.into());
        self
    }

    /// Adds an app. Apps are numbered in the order in which they are added.
    /// ```
    /// # use stowplan::{App, Job};
    /// let job = Job::builder().app(App::new("./a")).app(App::new("./b")).build()?;
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn app(mut self, app: App) -> Self {
        self.apps.push(app);
        self
    }

    /// Gives the contents of a file that the job's words name, as `seq:file=order` does. Nothing is read from disk.
    /// ```
    /// # use stowplan::{App, Job, Machine, Plan, Topology};
    /// let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let job = Job::builder()
    ///     .map_by("seq:file=order")
    ///     .app(App::new("./a").hosts("a:4,b:4"))
    ///     .file("order", "b\na\n")
    ///     .build()?;
    /// let plan = Plan::new(&job, &machine)?;
    /// assert_eq!(plan.procs().next().unwrap().node().name(), "b");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn file(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.files.push((name.into(), text.into()));
        self
    }

    /// Sets a variable in the environment of all apps. Those of OpenMP decide where threads go ([`Plan::threads`](crate::Plan::threads));
    /// others have no effect here. An app's own value wins.
    /// ```
    /// # use stowplan::{App, Job};
    /// let job = Job::builder().env("OMP_PLACES", "cores").app(App::new("./a").env("OMP_NUM_THREADS", "7")).build()?;
    /// let refused = Job::builder().env("OMP=PLACES", "cores").app(App::new("./a")).build().unwrap_err();
    /// assert_eq!(refused.class(), "bad-value");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Makes the job.
    ///
    /// # Errors
    /// An error in any of the job's words, with its place; `bad-request` for a job without apps.
    /// ```
    /// # use stowplan::{App, Job};
    /// let refused = Job::builder().app(App::new("./a").hosts("a:4,b:x")).build().unwrap_err();
    /// assert_eq!((refused.class(), refused.text()), ("bad-hostlist", Some("a:4,b:x")));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn build(self) -> Result<Job, Error> {
        self.build_where(|_| None)
    }

    /// The same; `split` knows map policies that say the word of a component.
    pub(crate) fn build_where(
        mut self,
        split: impl Fn(&str) -> Option<(String, String)>,
    ) -> Result<Job, Error> {
        let mut draft = Draft::default();
        let mut words = Vec::new();
        let mut plain = |whose, policies: &mut Policies| {
            if let Some((word, policy)) = policies.map.as_ref().and_then(|map| split(map.as_str()))
            {
                policies.map = Some(policy.into());
                words.push((whose, word));
            }
        };
        plain(Whose::Job, &mut self.policies);
        for (number, app) in (0..).zip(&mut self.apps) {
            plain(Whose::App(number), &mut app.policies);
        }
        self.tell(&mut draft)?;
        for (whose, word) in words {
            draft.set_map_word(whose, &word);
        }
        Job::of_draft(&draft)
    }

    /// Says all of it to a draft.
    fn tell(&self, draft: &mut Draft) -> Result<(), Error> {
        self.policies.tell(draft, Whose::Job)?;
        for app in &self.apps {
            let number = draft.add_app(&app.program, app.procs)?;
            if let Some(hosts) = &app.hosts {
                draft.set_hosts(number, hosts)?;
            }
            if let Some(text) = &app.hostfile {
                draft.set_hostfile(number, text)?;
            }
            app.policies.tell(draft, Whose::App(number))?;
            for (name, value) in &app.env {
                draft.set_variable(Whose::App(number), name, value)?;
            }
        }
        for (name, value) in &self.env {
            draft.set_variable(Whose::Job, name, value)?;
        }
        for (name, text) in &self.files {
            draft.set_file(name, text)?;
        }
        Ok(())
    }
}
