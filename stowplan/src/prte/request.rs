//! A request: a job and its apps, set by keys and directives.

use crate::attribute::{Attribute, Owner, Scope, Value};
use crate::component::Options;
use crate::job::draft::Draft;
use crate::job::program::refuse_empty_program;
use crate::{Error, Job, ToJob};
use std::borrow::Cow;
use std::fmt;
use stowplan_engine::count::ProcCount;
use stowplan_engine::error::MapError;
use stowplan_engine::limit::{APPS_MAX, RANKS_MAX};
use stowplan_engine::spawn::{SpawnRequest, Spoken, set};
use stowplan_engine::stage::resolve::{Context, NoFiles, decide, prepare};

/// A job and its apps as typed attributes: what one process of PRRTE relays to another.
/// ```
/// use stowplan::prte::{Owner, Request, SetStatus, keys};
/// let mut request = Request::new();
/// request.push_app("./ocean", Some(4))?;
/// request.set_app_mapping_policy(0, "ppr:2:node")?;
/// assert!(request.attribute(Owner::App(0), keys::APP_PPR).is_some());
/// let refused = request.set_app_mapping_policy(0, "slot:oversubscribe").unwrap_err();
/// assert_eq!((refused.status(), refused.error().class()), (SetStatus::BadParam, "app-forbidden-qualifier"));
/// # Ok::<(), stowplan::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Request {
    inner: SpawnRequest,
}

/// How a setter failed: what PRRTE returns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum SetStatus {
    /// `PRTE_ERR_BAD_PARAM`.
    BadParam,
    /// `PRTE_ERR_SILENT`: the diagnostic says all there is to say, and the caller adds nothing.
    Silent,
}

/// The refusal of a setter. The attributes are unchanged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetError {
    status: SetStatus,
    error: Error,
}

impl SetError {
    fn new(error: set::SetError) -> Self {
        Self {
            status: match error.status {
                set::SetStatus::BadParam => SetStatus::BadParam,
                set::SetStatus::Silent => SetStatus::Silent,
            },
            error: Error::from(MapError::Spec(error.error)),
        }
    }
    /// The status.
    #[must_use]
    pub const fn status(&self) -> SetStatus {
        self.status
    }
    /// The diagnostic, with the place of the wrong word.
    #[must_use]
    pub const fn error(&self) -> &Error {
        &self.error
    }
}

impl fmt::Display for SetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for SetError {}

impl From<SetError> for Error {
    fn from(refused: SetError) -> Self {
        refused.error
    }
}

impl Request {
    /// A job without apps and without attributes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an app and gives its number, from 0. `procs`: `None` for as many as policy and slots give.
    ///
    /// # Errors
    /// `bad-value` for an empty program or 0 processes; `job-too-large`. Nothing is added then.
    pub fn push_app(&mut self, program: &str, procs: Option<u32>) -> Result<u32, Error> {
        let app = self.apps();
        refuse_empty_program(app, program).map_err(MapError::from)?;
        let told = |class, sentence: String| Err(Error::told(class, &sentence));
        if app >= APPS_MAX {
            return told("job-too-large", format!("more than {APPS_MAX} apps"));
        }
        match procs {
            Some(0) => told("bad-value", format!("app {app} asks for 0 processes")),
            Some(asked) if asked > RANKS_MAX => told(
                "job-too-large",
                format!("{asked} processes are asked for, at most {RANKS_MAX} are possible"),
            ),
            Some(_) | None => {
                self.inner.push_app(procs.map(ProcCount), program);
                Ok(app)
            }
        }
    }

    /// Adds a `NULL` entry of the array of apps: it has a number and nothing else.
    pub fn push_hole(&mut self) {
        self.inner.push_hole();
    }

    /// How many entries the array of apps has, holes counted.
    #[must_use]
    pub fn apps(&self) -> u32 {
        u32::try_from(self.inner.apps().len()).unwrap_or(u32::MAX)
    }

    /// `prte_rmaps_base_set_app_mapping_policy`: stores a `--map-by` string on an app, in place of an earlier one.
    ///
    /// # Errors
    /// `BadParam` for anything that is wrong, words that only the job may say among it. Nothing has changed then.
    pub fn set_app_mapping_policy(&mut self, app: u32, spec: &str) -> Result<(), SetError> {
        let set = self.inner.set_mapping(Owner::App(app), spec);
        set.map_err(SetError::new)
    }

    /// `prte_rmaps_base_set_app_ranking_policy`: stores a `--rank-by` string on an app.
    ///
    /// # Errors
    /// `Silent` for anything but `slot`, `node`, `fill` and `span`. Nothing has changed then.
    pub fn set_app_ranking_policy(&mut self, app: u32, spec: &str) -> Result<(), SetError> {
        let set = self.inner.set_ranking(Owner::App(app), spec);
        set.map_err(SetError::new)
    }

    /// `prte_rmaps_base_set_app_binding_policy`: stores a `--bind-to` string on an app.
    ///
    /// # Errors
    /// `Silent` for a malformed limit, `BadParam` for everything else. Nothing has changed then.
    pub fn set_app_binding_policy(&mut self, app: u32, spec: &str) -> Result<(), SetError> {
        let set = self.inner.set_binding(Owner::App(app), spec);
        set.map_err(SetError::new)
    }

    /// Stores a `--map-by` string on the job.
    ///
    /// # Errors
    /// `BadParam`. Nothing has changed then.
    pub fn set_mapping_policy(&mut self, spec: &str) -> Result<(), SetError> {
        let set = self.inner.set_mapping(Owner::Job, spec);
        set.map_err(SetError::new)
    }

    /// Stores a `--rank-by` string on the job.
    ///
    /// # Errors
    /// `Silent`. Nothing has changed then.
    pub fn set_ranking_policy(&mut self, spec: &str) -> Result<(), SetError> {
        let set = self.inner.set_ranking(Owner::Job, spec);
        set.map_err(SetError::new)
    }

    /// Stores a `--bind-to` string on the job.
    ///
    /// # Errors
    /// As [`Request::set_app_binding_policy`].
    pub fn set_binding_policy(&mut self, spec: &str) -> Result<(), SetError> {
        let set = self.inner.set_binding(Owner::Job, spec);
        set.map_err(SetError::new)
    }

    /// Sets one attribute by its number, as `prte_set_attribute`. App keys from 35 to 100 that nobody knows are kept and relayed, and
    /// components read them.
    ///
    /// # Errors
    /// `bad-attribute` for a wrong type, a key that this owner may not have, or the key of a policy, which only a setter stores.
    pub fn set_attribute(
        &mut self,
        owner: Owner,
        key: u16,
        value: Value,
        scope: Scope,
    ) -> Result<(), Error> {
        let set = self
            .inner
            .set_attribute(owner, key, value.inner(), scope.inner());
        set.map_err(|error| MapError::Spec(error).into())
    }

    /// One attribute, as `prte_get_attribute`.
    #[must_use]
    pub fn attribute(&self, owner: Owner, key: u16) -> Option<Attribute<'_>> {
        let own = self.inner.attributes().get(owner, key);
        own.map(Attribute::new)
    }

    /// The attributes of an owner, ascending by key. The job's three policies have the keys of an app's.
    pub fn attributes(&self, owner: Owner) -> impl ExactSizeIterator<Item = Attribute<'_>> {
        let own = self.inner.attributes().of(owner);
        own.iter().map(Attribute::new)
    }

    /// The request as bytes for the relay. Attributes of scope `Local` stay behind.
    ///
    /// # Errors
    /// `bad-request` beyond 64 MiB.
    /// ```
    /// use stowplan::prte::{Owner, Request, Scope, Value};
    /// let mut request = Request::new();
    /// request.push_app("./x", Some(1))?;
    /// request.set_attribute(Owner::App(0), 40, Value::from(7_u32), Scope::Global)?;
    /// request.set_attribute(Owner::App(0), 41, Value::from(true), Scope::Local)?;
    /// let there = Request::from_bytes(&request.to_bytes()?)?;
    /// assert_eq!(there.attributes(Owner::App(0)).map(|own| own.key()).collect::<Vec<_>>(), [40]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        Ok(self.inner.pack().map_err(MapError::from)?)
    }

    /// Reads what [`Request::to_bytes`] wrote. The bytes are not trusted.
    ///
    /// # Errors
    /// `bad-request`, with the byte.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let inner = SpawnRequest::unpack(bytes).map_err(MapError::from)?;
        Ok(Self { inner })
    }

    /// The request after promotions: what apps ask of the job (to show the map, to inherit or not) is the job's.
    ///
    /// # Errors
    /// `conflicting-inheritance`.
    /// ```
    /// use stowplan::prte::{Owner, Request, Scope, Value, keys};
    /// let mut request = Request::new();
    /// request.push_app("./x", None)?;
    /// request.set_attribute(Owner::App(0), keys::JOB_DISPLAY_MAP, Value::from(true), Scope::Global)?;
    /// assert!(request.attribute(Owner::Job, keys::JOB_DISPLAY_MAP).is_none());
    /// assert!(request.promoted()?.attribute(Owner::Job, keys::JOB_DISPLAY_MAP).is_some());
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn promoted(&self) -> Result<Self, Error> {
        let prepared = prepare(self.inner.clone(), None, &Spoken::default())?;
        Ok(Self {
            inner: prepared.request,
        })
    }

    /// `prte_rmaps_base_resolve_app_options`: the options of an app, its own or the job's, with every default decided. `None` for a
    /// hole and a number beyond the apps. A default binding that depends on the size of the job is `by-size` unless all apps
    /// say how many processes they have.
    ///
    /// # Errors
    /// Words that contradict each other, of this app or of another.
    /// ```
    /// use stowplan::prte::Request;
    /// let mut request = Request::new();
    /// request.push_app("./x", Some(2))?;
    /// request.push_app("./y", Some(2))?;
    /// request.set_mapping_policy("core")?;
    /// request.set_app_mapping_policy(1, "node")?;
    /// let ranks = |app| request.resolve_app_options(app).map(|options| options.map(|own| own.rank().to_owned()));
    /// assert_eq!((ranks(0)?.as_deref(), ranks(1)?.as_deref()), (Some("fill"), Some("node")));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn resolve_app_options(&self, app: u32) -> Result<Option<Options<'static>>, Error> {
        let spoken = Spoken::default();
        let context = Context {
            parent: None,
            spoken: &spoken,
            affinity: None,
            files: &NoFiles,
        };
        let decided = decide(self.inner.clone(), context)?;
        let known = self.inner.apps().ids().nth(app as usize);
        let policy = known.and_then(|id| decided.policy(id));
        Ok(policy.map(|policy| Options::new(policy, None)))
    }

    /// The job. It keeps all attributes.
    ///
    /// # Errors
    /// `bad-request` without an app; words that contradict each other.
    pub fn job(&self) -> Result<Job, Error> {
        Job::of_draft(&Draft::from_request(self.inner.clone()))
    }
}

impl ToJob for Request {
    fn to_job(&self) -> Result<Cow<'_, Job>, Error> {
        self.job().map(Cow::Owned)
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Request({} apps)", self.apps())
    }
}
