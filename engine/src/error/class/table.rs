//! All classes of errors, as `docs/errors.md` has them. A test writes this table from that page (`UPDATE=1`,
//! `tools/tests/it/classes.rs`). A number is given once: new classes get the next ones. The exit status of a class is in `mod.rs`.

use super::classes;

classes! {
    BadOption = 1, "bad-option",
        "an option is unknown, lacks its value, has a value that it does not take, or is given twice on one app",
        "the option, the app, the nearest option";
    BadValue = 2, "bad-value",
        "a value is not a number or is out of range, a list of cpus does not parse or names a cpu twice, a plain option has an unknown word",
        "the value, the values that are allowed";
    BadDirective = 3, "bad-directive",
        "a map, rank or bind word is unknown, ambiguous or empty, has a value that it does not take, or lacks one that it needs",
        "the word, the valid words, the nearest";
    BadQualifier = 4, "bad-qualifier",
        "a qualifier, the word after a colon, is unknown, ambiguous or empty, has a value that it does not take, or lacks one that it needs; `--rank-by` has no qualifiers",
        "the qualifier, the valid qualifiers, the nearest";
    BadHostlist = 5, "bad-hostlist",
        "an entry of `-H` does not parse",
        "the entry, what is wrong";
    ContradictingQualifiers = 6, "contradicting-qualifiers",
        "words that are valid alone but contradict each other",
        "both words, why";
    AppForbiddenQualifier = 7, "app-forbidden-qualifier",
        "an app's own directive has a word that only the job may use",
        "the word, the app, where the word is allowed";
    ConflictingInheritance = 8, "conflicting-inheritance",
        "one owner (app or job) says INHERIT, another says NOINHERIT",
        "who said which";
    BindAboveMap = 9, "bind-above-map",
        "the job's bind target is above the objects it maps to, or larger than what is near a device",
        "both kinds";
    RankNeedsObject = 10, "rank-needs-object",
        "rank by fill or span, but the map policy has no objects",
        "both policies";
    PeExceedsObject = 11, "pe-exceeds-object",
        "more cpus per process than one object of the mapped kind has",
        "PE, the kind, the largest object";
    JobTooLarge = 12, "job-too-large",
        "more processes, nodes or cpus than can be counted",
        "the number, the limit";
    LauncherRefuses = 13, "launcher-refuses",
        "the launcher would refuse the line at once",
        "its reason in our words, lines that would work";
    LaunchFails = 14, "launch-fails",
        "the launcher would start the job, and it would die, for example at masks outside a node",
        "its reason in our words, lines that would work";
    WouldWait = 15, "would-wait",
        "the launcher would wait for what never comes free",
        "its reason in our words, lines that would work";
    NotModelled = 16, "not-modelled",
        "what a word does to a placement is not known here",
        "the word, what is not known";
    BadSite = 17, "bad-site",
        "a line of `--site` does not read, or contradicts the hardware",
        "the setting, both numbers";
    AmbiguousLauncher = 18, "ambiguous-launcher",
        "the line has signs of two launchers",
        "both signs; `--as`";
    AmbiguousLine = 19, "ambiguous-line",
        "a script has several lines of launchers",
        "each with its number and line";
    RuntimeAborts = 20, "runtime-aborts",
        "rows of threads are asked for, and the OpenMP runtime would end the program",
        "the runtime, its message, what to write";
    OmpForeign = 21, "omp-foreign",
        "`exec --omp --strict`: a variable is set that would win over ours",
        "the variable";
    BadScript = 22, "bad-script",
        "a shell would not read a script: a quote or a block is not closed, a zero byte; or no launcher's line is in it",
        "the place, what is missing";
    UnknownVariable = 23, "unknown-variable",
        "a script uses a variable or a substitution whose value is not known",
        "its place; `--env`";
    DeviceNotFound = 24, "device-not-found",
        "a node has no GPU, network card or block device, but the map or an option that gives GPUs needs one",
        "app, node, the option that states one";
    NotEnoughGpus = 25, "not-enough-gpus",
        "a process has fewer GPUs near it than `--gpus-per-rank`, or fewer devices than `ndev` gives each process; in a cluster, other jobs hold the GPUs of a node",
        "app, node, how many are near or free";
    BadDevices = 26, "bad-devices",
        "`--devices` does not parse, names a number twice, names objects that the node lacks, or has a list that its objects do not divide",
        "the value and the reason";
    BadTopology = 27, "bad-topology",
        "a topology cannot be read, is not valid, is missing, or has no cpu that may be used",
        "file and position, or the node";
    BadCpuList = 28, "bad-cpu-list",
        "the cpu list for all nodes does not parse, or names a cpu that a node lacks",
        "the entry, the node, its cpus";
    BadHostfile = 29, "bad-hostfile",
        "a hostfile cannot be read, does not parse, counts a node twice, or makes the pool but has relative entries",
        "file, line, column";
    NoSuchHost = 30, "no-such-host",
        "a selection asks for a node that is not in the job",
        "the name or number, the size of the pool";
    NoNodes = 31, "no-nodes",
        "an app has no nodes left, but not because they are full",
        "what removed them";
    SlotsExceedMax = 32, "slots-exceed-max",
        "an app claims more slots of a node than its limit leaves",
        "the node, both numbers";
    BadSeqfile = 33, "bad-seqfile",
        "a sequence file cannot be read, is empty, or names cpus that a node lacks",
        "file, line, the node's cpus";
    BadRankfile = 34, "bad-rankfile",
        "a rankfile cannot be read, does not parse, or names something that a node lacks",
        "file, line";
    DuplicateRank = 35, "duplicate-rank",
        "a rankfile gives a rank twice",
        "both lines";
    RankfileMissingRank = 36, "rankfile-missing-rank",
        "a rank of the app has no entry",
        "the rank, the file";
    RankfileHostNotAllocated = 37, "rankfile-host-not-allocated",
        "the node of an entry is not one of the app's",
        "file, line, the name";
    SeqHostNotAllocated = 38, "seq-host-not-allocated",
        "the node of an entry is not one of the job's",
        "file, line, the name";
    SeqTooFewEntries = 39, "seq-too-few-entries",
        "the file has fewer entries than the app has processes",
        "both numbers, the file";
    BadAffinityfile = 40, "bad-affinityfile",
        "LSF's file cannot be read, does not parse, or names a PU that a node lacks",
        "file, line";
    NoSuchDevice = 41, "no-such-device",
        "a node has no device of that name",
        "the name, the node's devices";
    BadRequest = 42, "bad-request",
        "a spawn request is not valid JSON or does not follow the schema; a packed request is truncated, damaged or of another version",
        "file, line, column, path; or the byte";
    AnswerTooLarge = 43, "answer-too-large",
        "over HTTP: the answer has more than 32 MiB",
        "the bound";
    TakesTooLong = 44, "takes-too-long",
        "over HTTP: the answer, or the body of the request, is not there after 10 seconds",
        "the bound";
    RequestTooLarge = 45, "request-too-large",
        "over HTTP: a body of more than 1 MiB",
        "the bound";
    TooManyRequests = 46, "too-many-requests",
        "over HTTP: 8 requests are being answered",
        "the bound";
    NoSuchPath = 47, "no-such-path",
        "over HTTP: a path, a method or a content type that there is not; no token",
        "what there is";
    BadMethod = 48, "bad-method",
        "over HTTP: a path, a method or a content type that there is not; no token",
        "what there is";
    BadType = 49, "bad-type",
        "over HTTP: a path, a method or a content type that there is not; no token",
        "what there is";
    Forbidden = 50, "forbidden",
        "over HTTP: a path, a method or a content type that there is not; no token",
        "what there is";
    BadAttribute = 51, "bad-attribute",
        "an attribute has the wrong type, is given twice, has an unknown scope, or is where its key does not belong",
        "the key, the owner, the place";
    ComponentVersion = 52, "component-version",
        "a mapping component was written for another version of the interface",
        "its name, both versions";
    NodesFull = 53, "nodes-full",
        "all nodes of an app are full before it starts",
        "the app, its nodes, how many slots are taken";
    NotEnoughSlots = 54, "not-enough-slots",
        "more processes than slots, without OVERSUBSCRIBE",
        "both numbers";
    NoProcesses = 55, "no-processes",
        "no count was given, and the policy gives none",
        "policy and nodes";
    OutOfResource = 56, "out-of-resource",
        "under OVERSUBSCRIBE, every node is at its limit",
        "how many were placed";
    PprTooMany = 57, "ppr-too-many",
        "the pattern holds fewer processes than were asked for",
        "both numbers, the nodes passed over";
    FailedMap = 58, "failed-map",
        "no component takes an app, or the component that took it cannot place it; this happens only with a launcher's own registry",
        "the app, its policy; the component, its words";
    ObjectNotFound = 59, "object-not-found",
        "a node has no object of the mapped kind",
        "kind and node";
    BindTargetNotFound = 60, "bind-target-not-found",
        "a node has no object of the kind to bind to",
        "kind and node";
    NoAvailableCpus = 61, "no-available-cpus",
        "no process finds its cpus",
        "app, target, cpus taken and free";
    NotEnoughCpus = 62, "not-enough-cpus",
        "some processes do not find their cpus",
        "how many fit";
    BindLimit = 63, "bind-limit",
        "LIMIT is reached although cpus are free",
        "limit, kind, node";
    SpanPackages = 64, "span-packages",
        "PE or a list does not fit into one package",
        "the packages and their cpus";
    PeListConflict = 65, "pe-list-conflict",
        "a listed cpu does not exist, may not be used, or is taken",
        "the cpu, the node";
    PeListExhausted = 66, "pe-list-exhausted",
        "more processes than listed cpus",
        "both numbers";
    SeqCpuTaken = 67, "seq-cpu-taken",
        "the cpus of a sequence entry are taken",
        "file, line, the rank of the entry";
    RankfileCpuTaken = 68, "rankfile-cpu-taken",
        "the cpus of a rankfile entry are taken",
        "file, line, the rank of the entry";
    BadPattern = 69, "bad-pattern",
        "a pattern of `score` or `advise` is not valid or does not fit its app; a matrix does not parse or has a wrong weight",
        "the pattern, the line, both sizes";
    BadRankOrder = 70, "bad-rank-order",
        "an order of `--rank-order` is not valid, or does not list every rank of the job once",
        "the order, the line, both sizes";
    BadNetwork = 71, "bad-network",
        "`--network` cannot be read or is not valid, or lacks a node of the job",
        "the file and line, or the word; the first node that is missing, and how many";
    BadPlan = 72, "bad-plan",
        "a plan file is truncated, damaged, foreign or of another version",
        "the byte";
    DoesNotFit = 73, "does-not-fit",
        "`onto`, `--onto`: the hosts that were granted do not hold the plan: too few, too few of a topology, too few slots, or cpus are lacking",
        "counts for each topology; the host, its slots or the cpus";
    PlanFault = 74, "plan-fault",
        "`check` finds that a plan breaks a promise",
        "the promise, where";
    NotInSession = 75, "not-in-session",
        "a host is outside the sessions that the job may use",
        "the host, the sessions";
    NoSuchJob = 76, "no-such-job",
        "a cluster was asked to release a plan that it did not place or has released already; this happens only in launchers",
        "that there is no such job";
    NodeClosed = 77, "node-closed",
        "a job names a node of a cluster that is down or drained, or all its nodes are; this happens only in launchers",
        "the node, its state";
    NodeBusy = 78, "node-busy",
        "a cluster was asked to remove a node on which a job has processes; this happens only in launchers",
        "the job, the node";
    JobCollides = 79, "job-collides",
        "a running job cannot be taken over by a cluster: another job holds its cpus or slots, or a node has other hardware; this happens only in launchers",
        "the node, the jobs there";
    BadCluster = 80, "bad-cluster",
        "the bytes of a cluster are foreign, cut or damaged; this happens only in launchers",
        "the part, or the job";
    NoSuchSession = 81, "no-such-session",
        "a target names no live session",
        "the id, the live sessions";
    Scenario = 82, "scenario",
        "a scenario does not parse",
        "where";
    Journal = 83, "journal",
        "a journal cannot be read or written",
        "where";
    TaskmapSyntax = 84, "taskmap-syntax",
        "a text has none of the forms of a task map",
        "what was expected and found, the byte";
    TaskmapType = 85, "taskmap-type",
        "a task map is JSON of another shape",
        "what was expected and found, the byte";
    TaskmapVersion = 86, "taskmap-version",
        "a task map has another version than 1",
        "the version, the byte";
    TaskmapValue = 87, "taskmap-value",
        "a number of a block is below the least that makes sense",
        "the number, the least, where";
    TaskmapRange = 88, "taskmap-range",
        "a number or a sum is beyond what fits",
        "the number, the limit, where";
    TaskmapOverlap = 89, "taskmap-overlap",
        "a raw map names a task on two nodes",
        "the task, both nodes";
    TaskmapGap = 90, "taskmap-gap",
        "a raw map names no node for a task, but for a later one",
        "both tasks, the node";
    TaskmapUnknown = 91, "taskmap-unknown",
        "something was asked of the unknown task map",
        "what was asked";
    TaskmapNoSuchTask = 92, "taskmap-no-such-task",
        "a task map has no such task",
        "the task, the last one of the map";
    TaskmapNoSuchNode = 93, "taskmap-no-such-node",
        "a task map has no such node, or no task on it",
        "the node, the last one of the map";
    TaskmapEmptyNode = 94, "taskmap-empty-node",
        "a form cannot say that a node has no task",
        "the node, the form";
    TaskmapTooLarge = 95, "taskmap-too-large",
        "an answer would have more items than were allowed",
        "both numbers";
    TaskmapTooLong = 96, "taskmap-too-long",
        "an answer would have more characters than were allowed",
        "both numbers";
    TaskmapMismatch = 97, "taskmap-mismatch",
        "two task maps, or a map and a job, have different totals, or a hostfile leaves a node out",
        "both numbers, or the node";
    TaskmapScheme = 98, "taskmap-scheme",
        "a scheme is not known, or its value is not valid",
        "the scheme, what is wrong";
    TaskmapHost = 99, "taskmap-host",
        "a host of a hostfile is not one of the job",
        "the host, the place";
    NotExpressible = 100, "not-expressible",
        "`export`: the launcher has no words for the plan",
        "what it cannot say, the first node or rank where, which launchers can";
    BadEnvironment = 101, "bad-environment",
        "`--here`, `exec`, `probe`: a variable, or the file that it names, has a value that cannot be right, or no variable is set",
        "its name and text";
    NoRank = 102, "no-rank",
        "`exec`: no launcher's variable gives a rank",
        "the variables looked for";
    NoSuchRank = 103, "no-such-rank",
        "`exec`: the plan has no such rank",
        "the variable, how many ranks the plan has";
    WrongNode = 104, "wrong-node",
        "`exec`: the rank is planned on another node",
        "both nodes, where the name of this node was read";
    CpusMissing = 105, "cpus-missing",
        "`exec`: the system gives other cpus than planned; with `--strict`, also when the process was started on fewer cpus",
        "both sets";
    NoProgram = 106, "no-program",
        "`exec`: no program is named, or it cannot be started",
        "the program, why";
    BadLive = 107, "bad-live",
        "`check --live`: there is no line of `probe`, or a line has no rank or broken cpus",
        "the line";
    Output = 108, "output",
        "the answer cannot be written",
        "where it goes, why";
    Internal = 109, "internal",
        "a bug in stowplan; exit status 70",
        "what to report";
    InvalidArgument = 110, "invalid-argument",
        "the C interface: a null pointer, text that is not UTF-8, an unknown constant, a size that is too small",
        "the argument";
    NotFound = 111, "not-found",
        "the C interface: no such rank, node, app, id or name",
        "what was asked for, what exists";
}
