//! The rules of a version: what each version began to do otherwise. Source: `lines/slurm/spec.md` 16.

use super::version::Version;

/// Something that Slurm began to do otherwise, with the version that brought it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    StepTasksPerCore,
    ListAmongNodes,
    NoGuess,
    TasksGiveWay,
    CoresByTask,
    HintBesideVerbose,
    TresPerTask,
    LinearCounts,
    InheritsCpus,
    VerboseKeepsHint,
    NoNodesBesideList,
    NoIdleNode,
    FitsAsMany,
    CpusOfTask,
    KeepsLimit,
    NoBindRank,
    TresByEquals,
    CoresAgainstCpus,
    CpusAreTres,
    UsableByThreads,
    OvercommitAsksCores,
    WholeHasCores,
    LoneRankBound,
    RelativeFits,
}

impl Change {
    /// All, in the order of the versions that brought them, each with what it does.
    pub const ALL: [(Self, Version, &'static str); 24] = {
        use Change::{
            CoresAgainstCpus, CoresByTask, CpusAreTres, CpusOfTask, FitsAsMany, HintBesideVerbose,
            InheritsCpus, KeepsLimit, LinearCounts, ListAmongNodes, LoneRankBound, NoBindRank,
            NoGuess, NoIdleNode, NoNodesBesideList, OvercommitAsksCores, RelativeFits,
            StepTasksPerCore, TasksGiveWay, TresByEquals, TresPerTask, UsableByThreads,
            VerboseKeepsHint, WholeHasCores,
        };
        use Version::{V23_02, V23_11, V24_05, V24_11, V26_05};
        [
            (
                StepTasksPerCore,
                V23_02,
                "--ntasks-per-core of the step counts, and is inherited from the job",
            ),
            (ListAmongNodes, V23_02, "-w does not change an inherited -N"),
            (
                NoGuess,
                V23_02,
                "the number of tasks is not guessed from -N where --ntasks-per-node is there",
            ),
            (
                TasksGiveWay,
                V23_02,
                "an inherited -n gives way to --ntasks-per-node where -N is the line's own",
            ),
            (
                CoresByTask,
                V23_02,
                "the cores of a step are counted as cpus of all its tasks, rounded up once",
            ),
            (
                HintBesideVerbose,
                V23_02,
                "the job's --hint binds also beside --cpu-bind=verbose",
            ),
            (TresPerTask, V23_02, "--tres-per-task is a word"),
            (
                LinearCounts,
                V23_02,
                "select/linear counts the job's threads per core",
            ),
            (InheritsCpus, V23_11, "the job's -c is inherited"),
            (
                VerboseKeepsHint,
                V23_11,
                "--cpu-bind=verbose does not spoil an inherited --hint",
            ),
            (
                NoNodesBesideList,
                V23_11,
                "-N beside -m arbitrary is refused",
            ),
            (NoIdleNode, V23_11, "a node without a task is refused"),
            (
                FitsAsMany,
                V24_05,
                "-c without -n starts as many tasks as fit on the nodes of the step, not of the job",
            ),
            (
                CpusOfTask,
                V24_05,
                "the controller takes -c as it was given",
            ),
            (
                KeepsLimit,
                V24_05,
                "--ntasks-per-node is kept beside another -n",
            ),
            (NoBindRank, V24_05, "--cpu-bind=rank binds nobody any more"),
            (TresByEquals, V24_05, "--tres-per-task is spelled cpu=K"),
            (
                CoresAgainstCpus,
                V24_11,
                "the cores that a step needs are compared with those that a node has, not with its cpus",
            ),
            (
                CpusAreTres,
                V24_11,
                "the job's -c is read as --tres-per-task, which --ntasks-per-gpu cannot be used with",
            ),
            (
                UsableByThreads,
                V26_05,
                "the cpus of a node are counted by the step's threads per core",
            ),
            (OvercommitAsksCores, V26_05, "-O does not take all cores"),
            (
                WholeHasCores,
                V26_05,
                "a whole step with GPUs has all cores",
            ),
            (
                LoneRankBound,
                V26_05,
                "the only rank of a node is bound to its GPU as any",
            ),
            (RelativeFits, V26_05, "-r may be used with -c without -n"),
        ]
    };

    fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// A change that moved something, as people read it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleChange {
    /// The version that brought it, `24.05`.
    pub since: &'static str,
    /// What it does, as a sentence without its end.
    pub what: &'static str,
}

/// The rules by which a line is placed: those of a version, or of two with some of the changes between them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    pub(super) version: Version,
    changes: u32,
}

impl Rules {
    /// Those of a version.
    pub fn of(version: Version) -> Self {
        let own = Change::ALL.iter().filter(|row| row.1 <= version);
        Self {
            version,
            changes: own.fold(0, |all, row| all | row.0.bit()),
        }
    }

    /// Whether a change is among them.
    pub fn has(self, change: Change) -> bool {
        self.changes & change.bit() != 0
    }

    /// The steps from the rules of an older version to those of a newer one, a change at a time: the rules after it, and the change.
    pub fn until(self, newer: Version) -> Vec<(Self, RuleChange)> {
        let mut rules = self;
        let rows = Change::ALL
            .iter()
            .filter(|row| row.1 > self.version && row.1 <= newer);
        rows.map(|&(change, since, what)| {
            rules.changes |= change.bit();
            rules.version = since;
            let since = since.text();
            (rules, RuleChange { since, what })
        })
        .collect()
    }
}
