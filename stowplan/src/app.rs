//! Apps that are being described, with their policies.

use crate::Error;
use crate::job::draft::{Draft, Kind, Whose};
use crate::policy::{BindTo, MapBy, Policy, RankBy};

/// One program of a job.
///
/// ```
/// use stowplan::App;
/// let app = App::new("./ocean").procs(1 << 20).hosts("n[0-69999]:16").map_by("core");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct App {
    pub(crate) program: String,
    pub(crate) procs: Option<u32>,
    pub(crate) hosts: Option<String>,
    pub(crate) hostfile: Option<String>,
    pub(crate) policies: Policies,
    pub(crate) env: Vec<(String, String)>,
}

impl App {
    /// An app that runs this program; an empty one is refused as `bad-value`. Unless [`App::procs`] is called, it has as many processes as its policy and slots give.
    /// ```
    /// # use stowplan::{App, Job, Machine, Plan, Topology};
    /// let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let job = Job::builder().app(App::new("./a").hosts("a:3")).build()?;
    /// assert_eq!(Plan::new(&job, &machine)?.len(), 3);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn new(program: impl Into<String>) -> Self {
        Self {
            program: program.into(),
            ..Self::default()
        }
    }

    /// Sets the number of processes. 0 is refused as `bad-value`.
    /// ```
    /// # use stowplan::{App, Job};
    /// let refused = Job::builder().app(App::new("./a").procs(0)).build().unwrap_err();
    /// assert_eq!(refused.class(), "bad-value");
    /// ```
    #[must_use]
    pub const fn procs(mut self, procs: u32) -> Self {
        self.procs = Some(procs);
        self
    }

    /// Sets the nodes that the app names, with their slots: `n[000-127]:8,m:4`.
    /// ```
    /// # use stowplan::App;
    /// let app = App::new("./a").hosts("n[000-127]:8");
    /// ```
    #[must_use]
    pub fn hosts(mut self, list: impl Into<String>) -> Self {
        self.hosts = Some(list.into());
        self
    }

    /// Sets the contents of the app's hostfile.
    /// ```
    /// # use stowplan::{App, Job, Machine, Plan, Topology};
    /// let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let job = Job::builder().app(App::new("./a").hostfile("a slots=2\nb slots=1\n")).build()?;
    /// assert_eq!(Plan::new(&job, &machine)?.len(), 3);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn hostfile(mut self, text: impl Into<String>) -> Self {
        self.hostfile = Some(text.into());
        self
    }

    /// Sets a variable in the environment of the app. Those of OpenMP decide where threads go ([`Plan::threads`](crate::Plan::threads));
    /// others have no effect here.
    /// ```
    /// # use stowplan::App;
    /// let app = App::new("./a").env("OMP_NUM_THREADS", "7").env("OMP_PLACES", "cores");
    /// ```
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Sets the map policy of the app, in place of the job's.
    /// ```
    /// # use stowplan::{App, MapBy};
    /// let app = App::new("./io").map_by(MapBy::PerNode(1));
    /// ```
    #[must_use]
    pub fn map_by(mut self, policy: impl Into<Policy<MapBy>>) -> Self {
        self.policies.map = Some(policy.into());
        self
    }

    /// Sets the rank policy of the app: the order in which its processes get their ranks.
    /// ```
    /// # use stowplan::App;
    /// let app = App::new("./io").rank_by("node");
    /// ```
    #[must_use]
    pub fn rank_by(mut self, policy: impl Into<Policy<RankBy>>) -> Self {
        self.policies.rank = Some(policy.into());
        self
    }

    /// Sets the bind policy of the app: what its processes are bound to.
    /// ```
    /// # use stowplan::{App, BindTo};
    /// let app = App::new("./io").bind_to(BindTo::None);
    /// ```
    #[must_use]
    pub fn bind_to(mut self, policy: impl Into<Policy<BindTo>>) -> Self {
        self.policies.bind = Some(policy.into());
        self
    }
}

/// The policies of a job or an app.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Policies {
    pub(crate) map: Option<Policy<MapBy>>,
    pub(crate) rank: Option<Policy<RankBy>>,
    pub(crate) bind: Option<Policy<BindTo>>,
}

impl Policies {
    /// Says them to a draft.
    pub(crate) fn tell(&self, draft: &mut Draft, whose: Whose) -> Result<(), Error> {
        let said = [
            (Kind::Map, self.map.as_ref().map(Policy::as_str)),
            (Kind::Rank, self.rank.as_ref().map(Policy::as_str)),
            (Kind::Bind, self.bind.as_ref().map(Policy::as_str)),
        ];
        for (kind, text) in said {
            if let Some(text) = text {
                draft.set_policy(kind, whose, text)?;
            }
        }
        Ok(())
    }
}
