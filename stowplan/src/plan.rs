//! Plans: where every process of a job is.

use crate::answers::expert;
use crate::answers::verify::{Unsound, verify};
use crate::error::of_faults;
use crate::explanation::Explanation;
use crate::job::args::Refusals;
use crate::job::line::launched::our_own;
use crate::job::place::place_on;
use crate::placing::{place_line, resolve_alone, size};
use crate::remedy::beside;
use crate::taskmap::TaskMap;
use crate::{Error, Job, Machine, Note, Rank, ReadAs, undrawn, workers};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};
use stowplan_engine::error::fold::fold;
use stowplan_engine::map::{Mapped, map_resolved};
use stowplan_engine::plan;
use stowplan_engine::plan::bytes::{ReadingRemark, Remarks};
use stowplan_engine::plan::gpus::GivenGpus;
use stowplan_engine::taskmap::Limits;

/// Where every process of a job is. A plan is small, immutable and cheap to clone. It answers questions without listing all ranks.
///
/// Two plans are equal when their bytes are equal. Notes are not compared.
///
/// ```
/// use stowplan::{Job, Machine, Plan, Rank, Topology};
/// let machine = Machine::uniform(Topology::parse("package:2 core:4 pu:1")?);
/// let job = Job::from_command_line("-n 10 -H a:8,b:8 --map-by core --bind-to core ./ocean".split(' '))?;
/// let plan = Plan::new(&job, &machine)?;
/// let proc = plan.proc(Rank::new(9)).ok_or("ten ranks have this one")?;
/// assert_eq!((proc.node().name(), proc.cpus().to_string().as_str()), ("b", "1"));
/// assert_eq!(plan.node("b").ok_or("b is in the job")?.procs().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Plan {
    inner: Arc<Inner>,
}

/// The data of a plan.
struct Inner {
    mapped: Mapped,
    form: Form,
    notes: OnceLock<Vec<Note>>,
    /// The GPUs of every process, dealt when they are first asked for.
    gpus: OnceLock<GivenGpus>,
    /// Set if a cluster placed the plan.
    ticket: Option<Arc<Ticket>>,
    /// How the line was read, if the job was a launcher's own line.
    reading: Option<ReadingRemark>,
}

/// Whether the plan holds everything that the judge needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Whole,
    Broadcast,
}

/// Identifies a plan to the cluster that placed it. A ticket is not zero-sized, so no two live tickets have the same address.
#[derive(Debug)]
pub(crate) struct Ticket {
    _size: u8,
}

impl Ticket {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { _size: 0 })
    }
}

impl Plan {
    /// Places a job on a machine.
    ///
    /// # Errors
    /// The first error in the order of `docs/errors.md`. Nothing is placed then.
    ///
    /// Cost: grows with the distinct nodes and policies, not with the processes.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let job = Job::from_command_line(["-n", "5", "-H", "a:4", "./x"])?;
    /// assert_eq!(Plan::new(&job, &machine).unwrap_err().class(), "not-enough-slots");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn new(job: &Job, machine: &Machine) -> Result<Self, Error> {
        Self::placed(job, machine).map_err(|error| beside(error, job, machine))
    }

    fn placed(job: &Job, machine: &Machine) -> Result<Self, Error> {
        Self::placed_as_said(job, &*machine.changed_by(job.args())?)
    }

    /// Places a job on a machine that is as the job says.
    fn placed_as_said(job: &Job, machine: &Machine) -> Result<Self, Error> {
        if job.is_line() {
            let (mapped, launched) = place_line(job, machine, Refusals::Bare)?;
            return Ok(Self::read_as(mapped, Form::Whole, Some(launched.remark())));
        }
        let asked = job.asked();
        if asked.job.orders() {
            let mapped = workers::run(|| place_on(machine.inner(), asked, job.files()))??;
            return Ok(Self::read_as(mapped, Form::Whole, job.reading()));
        }
        let (resolved, machine) = resolve_alone(job, machine)?;
        let mapped = workers::place(size(job), || map_resolved(resolved, machine))??;
        Ok(Self::read_as(mapped, Form::Whole, job.reading()))
    }

    /// Reads a plan from its bytes, whole ([`Plan::to_bytes`]) or broadcast ([`Plan::to_broadcast`]).
    ///
    /// # Errors
    /// `bad-plan`, with the byte, when the bytes are foreign, cut, damaged or of another version.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// # let plan = Plan::new(&Job::from_command_line(["-n", "2", "-H", "a:4", "./x"])?, &machine)?;
    /// assert_eq!(Plan::from_bytes(&plan.to_bytes())?, plan);
    /// assert_eq!(Plan::from_bytes(b"stow").unwrap_err().class(), "bad-plan");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let broadcast = bytes.starts_with(b"stowplnb");
        let (plan, form, reading) = workers::run(|| {
            if broadcast {
                let plan = plan::Plan::from_broadcast_bytes(bytes);
                plan.map(|plan| (plan, Form::Broadcast, None))
            } else {
                let plan = plan::Plan::from_bytes_with(bytes);
                plan.map(|(plan, remarks)| (plan, Form::Whole, remarks.reading))
            }
        })??;
        let mapped = Mapped {
            plan,
            notes: Vec::new(),
            calls: Vec::new(),
        };
        let plan = Self::read_as(mapped, form, reading);
        let _ = plan.inner.notes.set(Vec::new());
        Ok(plan)
    }

    /// A plan, and how the line that it places was read.
    fn read_as(mapped: Mapped, form: Form, reading: Option<ReadingRemark>) -> Self {
        let mut plan = Self::with(mapped, form, None);
        if let Some(inner) = Arc::get_mut(&mut plan.inner) {
            inner.reading = reading;
        }
        plan
    }

    /// A plan of the same line.
    pub(crate) fn read_alike(&self, mapped: Mapped) -> Self {
        Self::read_as(mapped, Form::Whole, self.inner.reading.clone())
    }

    /// Whether it holds everything that the judge needs.
    pub(crate) fn is_whole(&self) -> bool {
        self.form() == Form::Whole
    }

    pub(crate) fn of(mapped: Mapped) -> Self {
        Self::with(mapped, Form::Whole, None)
    }

    pub(crate) fn with(mapped: Mapped, form: Form, ticket: Option<Arc<Ticket>>) -> Self {
        let inner = Inner {
            mapped,
            form,
            notes: OnceLock::new(),
            gpus: OnceLock::new(),
            ticket,
            reading: None,
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    pub(crate) fn given_gpus(&self) -> &GivenGpus {
        self.inner.gpus.get_or_init(|| self.inner().given_gpus())
    }

    pub(crate) fn inner(&self) -> &plan::Plan {
        &self.inner.mapped.plan
    }

    pub(crate) fn mapped(&self) -> &Mapped {
        &self.inner.mapped
    }

    /// Refuses a plan from a broadcast.
    pub(crate) fn whole(&self) -> Result<(), Error> {
        match self.form() {
            Form::Whole => Ok(()),
            Form::Broadcast => Err(Error::told(
                "bad-plan",
                "the plan was read from a broadcast, which has no topologies and states to judge it by",
            )),
        }
    }

    pub(crate) fn form(&self) -> Form {
        self.inner.form
    }

    pub(crate) fn ticket(&self) -> Option<&Arc<Ticket>> {
        self.inner.ticket.as_ref()
    }

    /// Processes of the job.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let plan = Plan::new(&Job::from_command_line(["-n", "2", "-H", "a:4", "./x"])?, &machine)?;
    /// assert_eq!(plan.len(), 2);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.inner().ranks() as usize
    }

    /// Whether the job has no processes. A plan that was read from bytes may have none.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let plan = Plan::new(&Job::from_command_line(["-n", "2", "-H", "a:4", "./x"])?, &machine)?;
    /// assert!(!plan.is_empty());
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.inner().ranks() == 0
    }

    /// Apps of the job, including apps that got no process.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let job = Job::from_command_line("-n 1 -H a:4 ./x : -n 1 -H a:4 ./y".split(' '))?;
    /// assert_eq!(Plan::new(&job, &machine)?.apps(), 2);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn apps(&self) -> u32 {
        self.inner().resolved_apps().count()
    }

    /// The notes that the command prints. A note that holds for many apps is reported once. A plan from bytes has no notes.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let plan = Plan::new(&Job::from_command_line(["-n", "2", "-H", "a:4", "./x"])?, &machine)?;
    /// assert!(plan.notes().is_empty());
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        let folded = || {
            let mut notes = self.inner.mapped.notes.clone();
            notes.extend(expert::notes(self.inner()));
            fold(&notes).iter().map(Note::new).collect()
        };
        self.inner.notes.get_or_init(folded)
    }

    /// Whose rules placed the job: prterun's, unless it is the line of another launcher.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let plan = Plan::new(&Job::from_command_line(["-n", "2", "-H", "a:4", "./x"])?, &machine)?;
    /// assert_eq!(plan.launcher().name(), "prte");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn launcher(&self) -> ReadAs {
        ReadAs::of(self.inner.reading.as_ref())
    }

    /// The node of each rank, as a task map of RFC 34. Nodes are numbered as in the pool.
    ///
    /// # Errors
    /// `taskmap-range` or `taskmap-too-large` when the plan exceeds what a task map can say.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let plan = Plan::new(&Job::from_command_line(["-n", "4", "-H", "a:2,b:2", "./x"])?, &machine)?;
    /// assert_eq!(plan.task_map()?.to_string(), r#"{"version":1,"map":[[0,2,2,1]]}"#);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn task_map(&self) -> Result<TaskMap, Error> {
        Ok(self.inner().task_map(Limits::default())?)
    }

    /// The plan in bytes, to be saved, read and judged again. A plan from a broadcast gives the bytes of the broadcast.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let plan = Plan::new(&Job::from_command_line(["-n", "4", "-H", "a:2,b:2", "./x"])?, &machine)?;
    /// assert!(plan.to_bytes().starts_with(b"stowplnw"));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        match self.form() {
            Form::Whole => self.inner().to_bytes_with(&Remarks {
                // A job in prterun's words is the same with its word and without.
                reading: self
                    .inner
                    .reading
                    .clone()
                    .filter(|own| *own.rules != *our_own().rules),
                ..Remarks::default()
            }),
            Form::Broadcast => self.to_broadcast(),
        }
    }

    /// The part of the plan that every daemon of the job needs, in bytes: a few kilobytes for a million regular ranks.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Rank, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let plan = Plan::new(&Job::from_command_line(["-n", "4", "-H", "a:2,b:2", "./x"])?, &machine)?;
    /// let there = Plan::from_bytes(&plan.to_broadcast())?;
    /// assert_eq!(there.proc(Rank::new(3)).map(|proc| proc.node().name().to_owned()), Some("b".to_owned()));
    /// assert_eq!(there.check().unwrap_err().class(), "bad-plan");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn to_broadcast(&self) -> Vec<u8> {
        self.inner().broadcast_bytes()
    }

    /// Verifies the plan from its promises, by another method than the one that made it.
    ///
    /// # Errors
    /// `plan-fault` with the first fault. `bad-plan` for a plan from a broadcast, which does not hold enough to be judged.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let plan = Plan::new(&Job::from_command_line(["-n", "4", "-H", "a:2,b:2", "./x"])?, &machine)?;
    /// assert_eq!(plan.check(), Ok(()));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn check(&self) -> Result<(), Error> {
        self.whole()?;
        workers::share(|| verify(self.inner()))?.map_err(|unsound| match unsound {
            Unsound::Faults(faults) => of_faults(&faults),
            other @ (Unsound::Refused(_) | Unsound::Incoherent | Unsound::Untold) => {
                Error::told(other.class(), &other.to_string())
            }
        })
    }

    /// A picture of the plan: an SVG image without script, of at most 300 kB. A plan from a broadcast has no hardware to draw, and its
    /// picture says so.
    ///
    /// Cost: the runs, and the parts that are drawn.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let plan = Plan::new(&Job::from_command_line(["-n", "4", "-H", "a:2,b:2", "./x"])?, &machine)?;
    /// assert!(plan.picture().starts_with("<svg"));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn picture(&self) -> String {
        if self.whole().is_err() {
            return undrawn::svg(&self.summary().to_string());
        }
        crate::answers::picture::svg(self.inner())
    }

    /// The same picture as a page for a browser, with a field to search for a rank. It uses no network and has at most 300 kB.
    ///
    /// Cost: that of [`Plan::picture`], and a few additions per rank.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let plan = Plan::new(&Job::from_command_line(["-n", "4", "-H", "a:2,b:2", "./x"])?, &machine)?;
    /// assert!(plan.html().starts_with("<!"));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn html(&self) -> String {
        if self.whole().is_err() {
            return undrawn::html(&self.summary().to_string());
        }
        crate::answers::picture::html(self.inner())
    }

    /// Why a rank is where it is. `None` if there is no such rank, or if the plan was read from a broadcast, which does not hold
    /// the reasons.
    ///
    /// Cost: the runs, and plans with other policy words until one of them moves the rank.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Rank, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let words = ["-n", "4", "-H", "a:2,b:2", "--map-by", "slot", "./x"];
    /// let plan = Plan::new(&Job::from_command_line(words)?, &machine)?;
    /// let told = plan.explain(Rank::new(1)).ok_or("four ranks have this one")?;
    /// assert!(told.why()[0].starts_with("--map-by slot: asked"));
    /// assert_eq!(told.instead().map(|other| other.change()), Some("--map-by node"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn explain(&self, rank: Rank) -> Option<Explanation> {
        (self.form() == Form::Whole)
            .then(|| Explanation::new(self.inner(), rank))
            .flatten()
    }
}

impl PartialEq for Plan {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
            || (self.form() == other.form() && self.to_bytes() == other.to_bytes())
    }
}

impl Eq for Plan {}

impl Hash for Plan {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.to_bytes().hash(state);
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Plan({})", self.summary())
    }
}
