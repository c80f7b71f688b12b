//! Every rank of a plan, as columns.

use crate::proc::Cpus;
use crate::{Error, Plan, workers};
use rayon::prelude::*;
use std::fmt;
use std::sync::OnceLock;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::ProcTable;
use stowplan_engine::table::cpusets::CpusetId;

/// Every rank of a plan, as columns: a number for each rank, in rank order.
///
/// ```
#[doc = include_str!("example.txt")]
/// let table = plan.table();
/// assert_eq!(table.node(), [0, 0, 0, 1, 1, 1]);
/// assert_eq!(table.app(), [0, 0, 0, 0, 1, 1]);
/// assert_eq!(table.cpus(table.cpuset()[5]).to_string(), "2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Table {
    plan: Plan,
    rows: ProcTable,
    apps: OnceLock<[Vec<u32>; 2]>,
    objects: OnceLock<[Vec<u32>; 2]>,
}

/// Memory for the columns of a [`Table`], in this order: app, app rank, node, local rank, node rank, kind of object, object, cpu
/// set. Each column has one row per rank.
///
/// ```
#[doc = include_str!("example.txt")]
/// let mut all = [[0; 6]; 8];
/// plan.write_table(stowplan::Columns(all.each_mut().map(|column| &mut column[..])))?;
/// let table = plan.table();
/// assert_eq!([&all[2][..], &all[7][..]], [table.node(), table.cpuset()]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Columns<'c>(pub [&'c mut [u32]; 8]);

impl Columns<'_> {
    pub(crate) fn write(self, plan: &Plan) -> Result<(), Error> {
        let Self(
            [
                app,
                app_rank,
                node,
                local_rank,
                node_rank,
                kind,
                object,
                cpus,
            ],
        ) = self;
        let ranks = plan.len();
        let outs = [
            &app,
            &app_rank,
            &node,
            &local_rank,
            &node_rank,
            &kind,
            &object,
            &cpus,
        ];
        if let Some(out) = outs.iter().find(|out| out.len() != ranks) {
            let rows = out.len();
            let sentence = format!("a column has {rows} rows, the job has {ranks} ranks");
            return Err(Error::told("bad-value", &sentence));
        }
        if ranks <= CHUNK {
            number_apps(plan, app, app_rank);
            let columns = [node, local_rank, node_rank, &mut *object, cpus];
            plan.inner().expand_columns(columns);
            unpack((kind, object));
            return Ok(());
        }
        workers::share(|| {
            let own = || number_apps(plan, app, app_rank);
            let placed = || {
                let columns = [node, local_rank, node_rank, &mut *object, cpus];
                plan.inner().expand_columns(columns);
            };
            rayon::join(own, placed);
            let kinds = kind.par_chunks_mut(CHUNK);
            kinds.zip(object.par_chunks_mut(CHUNK)).for_each(unpack);
        })?;
        Ok(())
    }
}

/// How many rows a thread unpacks at once.
const CHUNK: usize = 1 << 16;

/// Unpacks objects: writes their kinds, and replaces each packed object by its index.
fn unpack((kinds, objects): (&mut [u32], &mut [u32])) {
    for (kind, object) in kinds.iter_mut().zip(objects) {
        (*kind, *object) = ProcTable::unpacked(*object);
    }
}

/// The app of each rank, and its rank in the app.
fn number_apps(plan: &Plan, mut apps: &mut [u32], mut ranks: &mut [u32]) {
    let table = plan.inner().resolved_apps();
    for (id, app) in table.ids().zip(plan.inner().apps()) {
        let procs = app.procs().0 as usize;
        let own = apps.split_off_mut(..procs).unwrap_or_default();
        own.fill(table.number(id));
        let own = ranks.split_off_mut(..procs).unwrap_or_default();
        let of_app = app.first_app_rank()..;
        own.iter_mut()
            .zip(of_app)
            .for_each(|(out, rank)| *out = rank);
    }
}

impl Table {
    pub(crate) fn new(plan: &Plan) -> Self {
        let rows = if plan.len() <= CHUNK {
            Ok(plan.inner().expand())
        } else {
            workers::share(|| plan.inner().expand())
        };
        Self {
            plan: plan.clone(),
            // If no thread can be started, this thread does all the work.
            rows: rows.unwrap_or_else(|_| plan.inner().expand()),
            apps: OnceLock::new(),
            objects: OnceLock::new(),
        }
    }

    fn apps(&self) -> &[Vec<u32>; 2] {
        self.apps.get_or_init(|| {
            let [mut apps, mut ranks] = [vec![0; self.len()], vec![0; self.len()]];
            number_apps(&self.plan, &mut apps, &mut ranks);
            [apps, ranks]
        })
    }

    fn objects(&self) -> &[Vec<u32>; 2] {
        self.objects.get_or_init(|| {
            let (kinds, objects) = self.rows.objects().unzip();
            [kinds, objects]
        })
    }

    /// How many rows there are.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(plan.table().len(), 6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert!(!plan.table().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The app of each rank. Shape `[ranks]`.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(plan.table().app(), [0, 0, 0, 0, 1, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn app(&self) -> &[u32] {
        &self.apps()[0]
    }

    /// The rank of each process in its app. Shape `[ranks]`.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(plan.table().app_rank(), [0, 1, 2, 3, 0, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn app_rank(&self) -> &[u32] {
        &self.apps()[1]
    }

    /// The node of each rank, by its number. Shape `[ranks]`.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(plan.table().node(), [0, 0, 0, 1, 1, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn node(&self) -> &[u32] {
        self.rows.nodes()
    }

    /// The number of each process among the job's processes on its node. Shape `[ranks]`.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(plan.table().local_rank(), [0, 1, 2, 0, 1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn local_rank(&self) -> &[u32] {
        self.rows.local_ranks()
    }

    /// The number of each process among all processes on its node. Shape `[ranks]`.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(plan.table().node_rank(), [0, 1, 2, 0, 1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn node_rank(&self) -> &[u32] {
        self.rows.node_ranks()
    }

    /// The kind of the object that each process was mapped to: 0 for none, otherwise numbered from 1 in the order machine, package,
    /// die, numa, l5cache, l4cache, l3cache, l2cache, l1cache, core, hwthread. Shape `[ranks]`.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(plan.table().object_kind()[0], 10, "core");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn object_kind(&self) -> &[u32] {
        &self.objects()[0]
    }

    /// The number of that object on the node; 0 for none. Shape `[ranks]`.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(plan.table().object(), [0, 1, 2, 0, 1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn object(&self) -> &[u32] {
        &self.objects()[1]
    }

    /// The cpu set of each process, as an id that [`Table::cpus`] takes; 0 for none. Shape `[ranks]`.
    /// ```
    #[doc = include_str!("example.txt")]
    /// let table = plan.table();
    /// assert_eq!(table.cpuset()[0], table.cpuset()[3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cpuset(&self) -> &[u32] {
        self.rows.cpusets()
    }

    /// The cpus of an id from [`Table::cpuset`]. Empty for an unknown id.
    /// ```
    #[doc = include_str!("example.txt")]
    /// let table = plan.table();
    /// assert!(table.cpus(0).is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cpus(&self, id: u32) -> Cpus<'_> {
        self.plan.cpus(id).unwrap_or(Cpus::new(None))
    }
}

/// Tables of equal plans are equal.
impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.plan == other.plan
    }
}

impl Eq for Table {}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({} rows)", self.len())
    }
}

impl Plan {
    /// Every rank, as columns. Cost: a few writes per rank, shared between threads.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let plan = Plan::new(&Job::from_command_line(["-n", "4", "-H", "a:2,b:2", "./x"])?, &machine)?;
    /// assert_eq!(plan.table().node(), [0, 0, 1, 1]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn table(&self) -> Table {
        Table::new(self)
    }

    /// As [`Plan::table`], but written into the caller's memory.
    ///
    /// # Errors
    /// `bad-value` when the length of a column is not the number of ranks. Nothing is written then.
    /// ```
    /// # use stowplan::{Columns, Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let plan = Plan::new(&Job::from_command_line(["-n", "4", "-H", "a:2,b:2", "./x"])?, &machine)?;
    /// let mut all = [[0; 4]; 8];
    /// plan.write_table(Columns(all.each_mut().map(|column| &mut column[..])))?;
    /// assert_eq!(all[2], [0, 0, 1, 1]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn write_table(&self, columns: Columns<'_>) -> Result<(), Error> {
        columns.write(self)
    }

    /// How many distinct cpu sets [`Plan::cpus`] knows. Ids are below this number, and id 0 is the empty set.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert!(plan.cpusets() > 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cpusets(&self) -> u32 {
        let sets = self.inner().world().cpusets.len();
        u32::try_from(sets).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// The cpus of an id from [`Table::cpuset`]. `None` for an unknown id.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(plan.cpus(0).map(|cpus| cpus.len()), Some(0));
    /// assert!(plan.cpus(plan.cpusets()).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cpus(&self, id: u32) -> Option<Cpus<'_>> {
        let cpusets = &self.inner().world().cpusets;
        match id.checked_sub(1) {
            None => Some(Cpus::new(None)),
            Some(row) if (row as usize) < cpusets.len() => {
                let id = CpusetId::from_row(row as usize);
                Some(Cpus::new(Some(cpusets.get(id))))
            }
            Some(_) => None,
        }
    }
}
