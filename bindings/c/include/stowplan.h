/* stowplan.h: decides where every process of a parallel job runs. Link with -lstowplan; `pkg-config --cflags --libs stowplan`
 * prints the flags.
 *
 * A topology is the hardware of one node, and a machine is the hardware of all nodes. A job is what a prterun command line
 * describes. Placing a job on a machine gives a plan, which says on which node and on which cpus each rank is. A cluster places
 * several jobs on the same nodes: each job gets what earlier jobs left free. The library opens no files, reads no environment
 * variables and prints nothing. It keeps no argument after a call: free or change arguments as you like, in any order.
 * Numbers begin at 0. Nodes are numbered in order of first mention, including idle nodes. An unbound process has the empty cpu
 * set, as text "".
 *
 * Handles   are opaque. Each type has its own _free function, which takes NULL. Any number of threads may use a handle
 *           at the same time in functions that take it as const. During any other call, no other thread may use it. A child of
 *           fork may also call everything.
 * Status    Functions return STOW_OK; STOW_REFUSED (the request, text or bytes are wrong: see the error); STOW_INVALID (NULL, text
 *           that is not UTF-8, an unknown constant, a size that is too small or absurd); STOW_TOO_SMALL (the capacity);
 *           STOW_NOT_FOUND (no such rank, node, app, id, name or span); STOW_INTERNAL (a fault of the library, caught). Outputs
 *           are written only on STOW_OK, except *error and *needed (see below). The library never aborts and never unwinds into
 *           the caller.
 * NULL      is STOW_INVALID, except for `error`, and for a pointer whose length or capacity is 0. Functions that return no status
 *           return 0 or "" for it.
 * Errors    If `error` is not NULL, each call sets *error: to NULL on STOW_OK and STOW_TOO_SMALL, otherwise to an object that the
 *           caller frees with stow_error_free. The old value is overwritten, not freed. Classes are those of docs/errors.md, and
 *           two of this interface: invalid-argument, not-found. Documents that are cited here are installed in
 *           share/doc/stowplan.
 * Text in   is a pointer and a length in bytes. It is UTF-8 and needs no NUL. A command line is an array of C strings, like argv.
 * Text and  arrays out go into the caller's memory: (out, capacity, needed), counted in items. Text ends with a NUL, which counts
 *           too. *needed is written on STOW_OK and STOW_TOO_SMALL: call with capacity 0, allocate, and call again.
 * Setters   replace the value that was set before. A setter refuses an error in its own words, and then changes nothing.
 *           stow_plan_new and stow_cluster_place refuse words that contradict each other, and errors in files. Apps are numbered
 *           in the order in which they are added.
 * Growth    New functions, new constants, and new fields at the end of a struct that begins with `size` come with a higher
 *           STOW_API_VERSION. If stow_api_version() >= STOW_API_VERSION, the library has everything that this header has. Set
 *           `size` to sizeof the struct before each call: the library writes no more than that, and sets fields that it does not
 *           know to 0. Nothing is changed or removed without another SONAME (now libstowplan.so.1).
 */
#ifndef STOWPLAN_H
#define STOWPLAN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STOW_API_VERSION 7u
#define STOW_JOB   UINT32_MAX  /* as the app of a policy: the policy is the job's */
#define STOW_COUNT UINT32_MAX  /* as procs: as many processes as policy and slots give */
#define STOW_NONE  UINT32_MAX  /* the node of a proc from a slice */

typedef uint32_t stow_status;
enum { STOW_OK, STOW_REFUSED, STOW_INVALID, STOW_TOO_SMALL, STOW_NOT_FOUND, STOW_INTERNAL };

typedef uint32_t stow_column;
enum {
  STOW_COLUMN_APP, STOW_COLUMN_APP_RANK, STOW_COLUMN_NODE, STOW_COLUMN_LOCAL_RANK, STOW_COLUMN_NODE_RANK,
  STOW_COLUMN_OBJECT_KIND, STOW_COLUMN_OBJECT, STOW_COLUMN_CPUSET, STOW_COLUMN_GPUS
};

typedef uint32_t stow_object;
enum {
  STOW_OBJECT_NONE, STOW_OBJECT_MACHINE, STOW_OBJECT_PACKAGE, STOW_OBJECT_DIE, STOW_OBJECT_NUMA, STOW_OBJECT_L5CACHE,
  STOW_OBJECT_L4CACHE, STOW_OBJECT_L3CACHE, STOW_OBJECT_L2CACHE, STOW_OBJECT_L1CACHE, STOW_OBJECT_CORE, STOW_OBJECT_HWTHREAD,
  STOW_OBJECT_GPU, STOW_OBJECT_DEVICE
};

typedef uint32_t stow_taskmap_form;
enum {
  STOW_TASKMAP_MAP, STOW_TASKMAP_WRAPPED, STOW_TASKMAP_PMI, STOW_TASKMAP_RAW, STOW_TASKMAP_DERANGED, STOW_TASKMAP_MULTILINE
};

typedef uint32_t stow_standing, stow_answer;
enum { STOW_STANDING_UP, STOW_STANDING_DOWN, STOW_STANDING_DRAINED };
enum { STOW_ANSWER_TAKE, STOW_ANSWER_PASS, STOW_ANSWER_REFUSE };

typedef struct stow_topology stow_topology;
typedef struct stow_machine stow_machine;
typedef struct stow_job stow_job;
typedef struct stow_plan stow_plan;
typedef struct stow_slice stow_slice;
typedef struct stow_cluster stow_cluster;
typedef struct stow_waiting stow_waiting;
typedef struct stow_planner stow_planner;
typedef struct stow_session stow_session;
typedef struct stow_taskmap stow_taskmap;
typedef struct stow_threads stow_threads;
typedef struct stow_components stow_components;
typedef struct stow_asked stow_asked;
typedef struct stow_explanation stow_explanation;
typedef struct stow_difference stow_difference;
typedef struct stow_refused stow_refused;
typedef struct stow_error stow_error;
typedef stow_answer (*stow_count)(void *state, stow_asked *asked);
typedef stow_answer (*stow_objects)(void *state, stow_asked *asked, uint32_t procs, uint32_t *objects);

/* One process. `object` is 0 if `object_kind` is STOW_OBJECT_NONE. */
typedef struct stow_proc {
  size_t size;
  uint32_t rank, app, app_rank, node, local_rank, node_rank, object_kind, object;
} stow_proc;

/* The STOW_API_VERSION that the library was built with. */
uint32_t stow_api_version(void);
/* The name of a kind of objects, such as "core"; "" for STOW_OBJECT_NONE and for unknown kinds. */
const char *stow_object_name(stow_object kind);

/* Reads a topology: the contents of an hwloc XML file, a synthetic description, or builtin:NAME. */
stow_status stow_topology_read(const char *text, size_t len, stow_topology **out, stow_error **error);
/* The same hardware with these hardware threads alone, by OS number ("0-3,7"), as hwloc restricts a topology to a cpu set. */
stow_status stow_topology_restrict(const stow_topology *topology, const char *cpus, size_t len, stow_topology **out,
                                   stow_error **error);

/* A machine whose nodes all have this topology. */
stow_status stow_machine_new(const stow_topology *all, stow_machine **out, stow_error **error);
/* Gives the nodes of a host list another topology. If a node was named before, the later topology wins. */
stow_status stow_machine_set_topology(stow_machine *machine, const char *nodes, size_t len, const stow_topology *topology,
                                      stow_error **error);
/* Sets the node that the launcher runs on. */
stow_status stow_machine_set_head(stow_machine *machine, const char *name, size_t len, stow_error **error);
/* Restricts every node to these logical cores ("0-3,7") or hardware threads ("0-3,7:HWTCPUS"). PRRTE calls this list
 * hwloc_default_cpu_list. */
stow_status stow_machine_set_cpus(stow_machine *machine, const char *list, size_t len, stow_error **error);
/* Limits the nodes of a host list to these logical cores or hardware threads: their other cpus are not there. */
stow_status stow_machine_set_node_cpus(stow_machine *machine, const char *nodes, size_t nodes_len, const char *list, size_t len,
                                       stow_error **error);
/* Limits the nodes of a host list to these hardware threads, by OS number ("0-3,7"). */
stow_status stow_machine_restrict(stow_machine *machine, const char *nodes, size_t nodes_len, const char *cpus, size_t len,
                                  stow_error **error);
/* Says which devices the nodes of a host list have, in place of those of their topologies: "gpu=l3:4,5,2,3", "nic=none"
 * (docs/gpus.md). */
stow_status stow_machine_set_devices(stow_machine *machine, const char *nodes, size_t nodes_len, const char *devices, size_t len,
                                     stow_error **error);
/* Says how many slots the nodes of a host list have, and how many processes they may hold at most. */
stow_status stow_machine_set_slots(stow_machine *machine, const char *nodes, size_t len, uint32_t slots, stow_error **error);
stow_status stow_machine_set_max_slots(stow_machine *machine, const char *nodes, size_t len, uint32_t max, stow_error **error);
/* Says what others have of the nodes of a host list: so many slots of each, and these cpus by OS number ("" for none). */
stow_status stow_machine_set_taken(stow_machine *machine, const char *nodes, size_t nodes_len, uint32_t slots, const char *cpus,
                                   size_t len, stow_error **error);

/* A job without apps. */
stow_status stow_job_new(stow_job **out, stow_error **error);
/* Reads the words after `prterun` on a command line. Options of the machine or of the output (--topo, -o ...) are bad-option. */
stow_status stow_job_from_words(const char *const *words, size_t count, stow_job **out, stow_error **error);
/* Reads a spawn request in JSON (docs/request.schema.json). */
stow_status stow_job_from_json(const char *text, size_t len, stow_job **out, stow_error **error);
/* Adds an app with `procs` processes, or STOW_COUNT. An empty program is refused. */
stow_status stow_job_add_app(stow_job *job, const char *program, size_t len, uint32_t procs, uint32_t *app,
                             stow_error **error);
/* Sets the nodes that an app names, with their slots: "n[000-127]:8,m:4". */
stow_status stow_job_set_hosts(stow_job *job, uint32_t app, const char *list, size_t len, stow_error **error);
/* Sets the contents of an app's hostfile. */
stow_status stow_job_set_hostfile(stow_job *job, uint32_t app, const char *text, size_t len, stow_error **error);
/* Set a policy of an app, or of the job if `app` is STOW_JOB. `policy` is the value of --map-by, --rank-by or --bind-to. */
stow_status stow_job_set_map_by(stow_job *job, uint32_t app, const char *policy, size_t len, stow_error **error);
stow_status stow_job_set_rank_by(stow_job *job, uint32_t app, const char *policy, size_t len, stow_error **error);
stow_status stow_job_set_bind_to(stow_job *job, uint32_t app, const char *policy, size_t len, stow_error **error);
/* Sets a variable of the environment of an app, or of all apps if `app` is STOW_JOB: those of OpenMP decide where threads run. */
stow_status stow_job_set_env(stow_job *job, uint32_t app, const char *name, size_t name_len, const char *value, size_t len,
                             stow_error **error);
/* Gives the contents of a file that the job's words name, as seq:file=NAME does. Nothing is read from disk. */
stow_status stow_job_set_file(stow_job *job, const char *name, size_t name_len, const char *text, size_t len,
                              stow_error **error);
/* The job and its files in bytes, for another process to read. The job's words are not among them: if the job is refused later,
 * the error has the same class, but no text. */
stow_status stow_job_to_bytes(const stow_job *job, uint8_t *out, size_t capacity, size_t *needed, stow_error **error);
stow_status stow_job_from_bytes(const uint8_t *bytes, size_t len, stow_job **out, stow_error **error);

/* Places a job on a machine. */
stow_status stow_plan_new(const stow_job *job, const stow_machine *machine, stow_plan **out, stow_error **error);
uint32_t stow_plan_ranks(const stow_plan *plan);
uint32_t stow_plan_nodes(const stow_plan *plan);
uint32_t stow_plan_apps(const stow_plan *plan);
/* Ids of cpu sets are below this number; id 0 is the empty set. */
uint32_t stow_plan_cpusets(const stow_plan *plan);
/* One process. Set out->size first. */
stow_status stow_plan_proc(const stow_plan *plan, uint32_t rank, stow_proc *out);
/* The cpus that a process is bound to, by OS number: "0-3,128-131". */
stow_status stow_plan_cpus(const stow_plan *plan, uint32_t rank, char *out, size_t capacity, size_t *needed);
/* The same cpus as bits: bit i of word w is OS number 64w + i. The last word is not 0. */
stow_status stow_plan_cpu_words(const stow_plan *plan, uint32_t rank, uint64_t *out, size_t capacity, size_t *needed);
/* The GPUs that a process is given, as CUDA_VISIBLE_DEVICES and similar variables take them: "4,5"; "" for none. */
stow_status stow_plan_gpus(const stow_plan *plan, uint32_t rank, char *out, size_t capacity, size_t *needed);
/* The same numbers, ascending; none: 0 items. */
stow_status stow_plan_gpu_numbers(const stow_plan *plan, uint32_t rank, uint32_t *out, size_t capacity, size_t *needed);
/* The network cards that a process is mapped to with --map-by device=nic, by name: "nic0,nic1"; "" for none. */
stow_status stow_plan_nics(const stow_plan *plan, uint32_t rank, char *out, size_t capacity, size_t *needed);
stow_status stow_plan_node_name(const stow_plan *plan, uint32_t node, char *out, size_t capacity, size_t *needed);
stow_status stow_plan_node_find(const stow_plan *plan, const char *name, size_t len, uint32_t *node);
/* The ranks on a node, by local rank. */
stow_status stow_plan_node_ranks(const stow_plan *plan, uint32_t node, uint32_t *out, size_t capacity, size_t *needed);
/* The slots of a node that are free behind the job, and its hardware. A plan from a broadcast knows neither: STOW_NOT_FOUND. */
stow_status stow_plan_node_slots_free(const stow_plan *plan, uint32_t node, uint32_t *out);
stow_status stow_plan_node_topology(const stow_plan *plan, uint32_t node, stow_topology **out, stow_error **error);
/* One column: a number for each rank. */
stow_status stow_plan_column(const stow_plan *plan, stow_column column, uint32_t *out, size_t capacity, size_t *needed);
/* The cpus of an id from STOW_COLUMN_CPUSET. */
stow_status stow_plan_cpuset(const stow_plan *plan, uint32_t id, char *out, size_t capacity, size_t *needed);
/* Several columns in one call: outs[STOW_COLUMN_X] is the memory for a column, NULL for one that is not wanted. `count` is the
 * length of outs, `capacity` the numbers that each memory holds; *needed is the number of ranks. */
stow_status stow_plan_columns(const stow_plan *plan, uint32_t *const *outs, size_t count, size_t capacity, size_t *needed);
/* The GPUs of an id from STOW_COLUMN_GPUS. Ids of sets of GPUs are below stow_plan_gpusets; id 0 is the empty set. */
uint32_t stow_plan_gpusets(const stow_plan *plan);
stow_status stow_plan_gpuset(const stow_plan *plan, uint32_t id, uint32_t *out, size_t capacity, size_t *needed);
/* The notes on the plan, one in each line: "note[CLASS]: ...\n". */
stow_status stow_plan_notes(const stow_plan *plan, char *out, size_t capacity, size_t *needed);
/* The node of each rank, as a task map of RFC 34 in the wrapped form. */
stow_status stow_plan_task_map(const stow_plan *plan, char *out, size_t capacity, size_t *needed, stow_error **error);
/* For people: the first line of the page that `stowplan map` prints; a picture, as an SVG image without script; the same picture
 * as a page for a browser. A picture has at most 300 kB. */
stow_status stow_plan_summary(const stow_plan *plan, char *out, size_t capacity, size_t *needed);
stow_status stow_plan_picture(const stow_plan *plan, char *out, size_t capacity, size_t *needed);
stow_status stow_plan_html(const stow_plan *plan, char *out, size_t capacity, size_t *needed);
/* Verifies the plan from its promises; the class of a fault is plan-fault. A plan from a broadcast cannot be verified: bad-plan. */
stow_status stow_plan_check(const stow_plan *plan, stow_error **error);
/* The whole plan in bytes. A plan from a broadcast gives the bytes of the broadcast. */
stow_status stow_plan_to_bytes(const stow_plan *plan, uint8_t *out, size_t capacity, size_t *needed, stow_error **error);
/* The part of the plan that every daemon needs, in bytes. */
stow_status stow_plan_to_broadcast(const stow_plan *plan, uint8_t *out, size_t capacity, size_t *needed, stow_error **error);
/* Reads a plan from the bytes of stow_plan_to_bytes or stow_plan_to_broadcast. */
stow_status stow_plan_from_bytes(const uint8_t *bytes, size_t len, stow_plan **out, stow_error **error);
/* The same shapes on the hosts that were granted, in order: node i of the plan is host i of "g[0-3],h". With `machine`, the nodes of
 * each topology take the hosts that have it; without, hosts are taken to have the plan's hardware. Refused with counts where they
 * do not fit: does-not-fit. A note says what is assumed and what differs. */
stow_status stow_plan_onto(const stow_plan *plan, const char *hosts, size_t len, const stow_machine *machine, stow_plan **out,
                           stow_error **error);
/* The part of the plan that the daemon of one node needs, in bytes. */
stow_status stow_plan_node_slice(const stow_plan *plan, uint32_t node, uint8_t *out, size_t capacity, size_t *needed,
                                 stow_error **error);

/* Places `count` jobs at once, on all cores, each as if it had the machine to itself. plans[i] is the plan of job i, or NULL if
 * it was refused; errors[i] is then its error, otherwise NULL. `errors` may be NULL. *failed is the first refused job, or `count`.
 * These outputs are also written on STOW_REFUSED: some jobs were refused, *error is that of the first and names its number.
 * Plans and errors are freed one by one. */
stow_status stow_place_many(const stow_job *const *jobs, size_t count, const stow_machine *machine, stow_plan **plans,
                            stow_error **errors, size_t *failed, stow_error **error);

/* Why a rank is where it is. A plan from a broadcast does not know: bad-plan. The strings live as long as the explanation; "" if
 * there is no such part. */
stow_status stow_plan_explain(const stow_plan *plan, uint32_t rank, stow_explanation **out, stow_error **error);
/* The page that `stowplan explain` prints. */
const char *stow_explanation_text(const stow_explanation *explanation);
/* Its sentences one by one, from the map word to the cpus. */
uint32_t stow_explanation_sentences(const stow_explanation *explanation);
const char *stow_explanation_sentence(const stow_explanation *explanation, uint32_t sentence);
/* The policy words that decided: option ("--map-by"), value, where it came from (app, job, parent, default), and the rule that
 * gave a default. */
uint32_t stow_explanation_words(const stow_explanation *explanation);
const char *stow_explanation_option(const stow_explanation *explanation, uint32_t word);
const char *stow_explanation_value(const stow_explanation *explanation, uint32_t word);
const char *stow_explanation_from(const stow_explanation *explanation, uint32_t word);
const char *stow_explanation_rule(const stow_explanation *explanation, uint32_t word);
/* A change of one option that moves the rank ("--map-by node"; "" if none does), and where the rank is then. */
const char *stow_explanation_instead(const stow_explanation *explanation);
const char *stow_explanation_instead_node(const stow_explanation *explanation);
uint32_t stow_explanation_instead_local_rank(const stow_explanation *explanation);
const char *stow_explanation_instead_cpus(const stow_explanation *explanation);

/* What moved between two plans, counted by rank: `same` have the same node, local rank, cpus, GPUs and network cards, and their OpenMP
 * threads the same cpus; `moved` is the sum of the six that follow it; `gone` are not in `after`, `added` not in `before`. `reordered` is 1 if
 * both plans have the same places with other ranks on them. */
stow_status stow_plan_diff(const stow_plan *before, const stow_plan *after, stow_difference **out, stow_error **error);
/* The page that `stowplan diff` prints. It lives as long as the difference. */
const char *stow_difference_text(const stow_difference *difference);
uint32_t stow_difference_same(const stow_difference *difference);
uint32_t stow_difference_moved(const stow_difference *difference);
uint32_t stow_difference_moved_node(const stow_difference *difference);
uint32_t stow_difference_moved_cpus(const stow_difference *difference);
uint32_t stow_difference_moved_local_rank(const stow_difference *difference);
uint32_t stow_difference_moved_gpus(const stow_difference *difference);
uint32_t stow_difference_moved_nics(const stow_difference *difference);
uint32_t stow_difference_moved_threads(const stow_difference *difference);
uint32_t stow_difference_gone(const stow_difference *difference);
uint32_t stow_difference_added(const stow_difference *difference);
uint32_t stow_difference_reordered(const stow_difference *difference);
/* The one option in which the requests differ, its app, and its values in both plans. "" unless exactly one option differs. */
const char *stow_difference_cause(const stow_difference *difference);
uint32_t stow_difference_cause_app(const stow_difference *difference);
const char *stow_difference_cause_before(const stow_difference *difference);
const char *stow_difference_cause_after(const stow_difference *difference);
/* Both plans as one picture, with the ranks that moved marked; the same as a page for a browser. */
stow_status stow_difference_picture(const stow_difference *difference, char *out, size_t capacity, size_t *needed);
stow_status stow_difference_html(const stow_difference *difference, char *out, size_t capacity, size_t *needed);

/* What is missing for the job of a command line that was refused for lack of room, objects or cpus, and the nearest jobs that fit.
 * STOW_NOT_FOUND if the job is placed, or refused when it is placed for another reason; STOW_REFUSED for an error in its words.
 * The strings live as long as the handle. */
stow_status stow_refused_explain(const char *const *words, size_t count, const stow_machine *machine, stow_refused **out,
                                 stow_error **error);
/* The page that `stowplan explain` prints; class and message of the refusal; what is missing ("slots"). */
const char *stow_refused_text(const stow_refused *refused);
const char *stow_refused_class(const stow_refused *refused);
const char *stow_refused_message(const stow_refused *refused);
const char *stow_refused_missing(const stow_refused *refused);
/* How many of it are asked for, and how many there are. STOW_NOT_FOUND if that is no number. */
stow_status stow_refused_asked(const stow_refused *refused, uint64_t *out);
stow_status stow_refused_there(const stow_refused *refused, uint64_t *out);
/* Jobs that fit and differ in one option, each tried: how many, the option that differs ("-n 4"), the words of the whole job. */
uint32_t stow_refused_nearest(const stow_refused *refused);
const char *stow_refused_change(const stow_refused *refused, uint32_t near);
uint32_t stow_refused_words(const stow_refused *refused, uint32_t near);
const char *stow_refused_word(const stow_refused *refused, uint32_t near, uint32_t word);

/* Reads one node of a plan from the bytes of stow_plan_node_slice. Nothing else of the plan is needed. */
stow_status stow_slice_read(const uint8_t *bytes, size_t len, stow_slice **out, stow_error **error);
uint32_t stow_slice_ranks(const stow_slice *slice);  /* processes of the whole job */
uint32_t stow_slice_procs(const stow_slice *slice);  /* processes of the job on this node */
stow_status stow_slice_node_name(const stow_slice *slice, char *out, size_t capacity, size_t *needed);
stow_status stow_slice_proc(const stow_slice *slice, uint32_t local_rank, stow_proc *out);
stow_status stow_slice_cpus(const stow_slice *slice, uint32_t local_rank, char *out, size_t capacity, size_t *needed);
stow_status stow_slice_gpus(const stow_slice *slice, uint32_t local_rank, char *out, size_t capacity, size_t *needed);
stow_status stow_slice_gpu_numbers(const stow_slice *slice, uint32_t local_rank, uint32_t *out, size_t capacity, size_t *needed);
stow_status stow_slice_nics(const stow_slice *slice, uint32_t local_rank, char *out, size_t capacity, size_t *needed);
stow_status stow_slice_cpu_words(const stow_slice *slice, uint32_t local_rank, uint64_t *out, size_t capacity, size_t *needed);

/* Nodes that jobs share. They are added with stow_cluster_add_nodes, or come with the jobs that name them; a job without hosts uses
 * those that are up. A refused call changes nothing. Jobs have numbers from 0, and no number is given twice. */
stow_status stow_cluster_new(const stow_machine *machine, stow_cluster **out, stow_error **error);
stow_status stow_cluster_place(stow_cluster *cluster, const stow_job *job, stow_plan **out, stow_error **error);
/* Where a job would be placed now. Nothing changes. */
stow_status stow_cluster_try_place(const stow_cluster *cluster, const stow_job *job, stow_plan **out, stow_error **error);
/* Places a job on the nodes that its sessions let it see. The arguments are those of stow_machine_within. */
stow_status stow_cluster_place_in_session(stow_cluster *cluster, const stow_job *job, const stow_session *session,
                                          const char *spawner, size_t len, const char *const *targets, size_t count,
                                          stow_plan **out, stow_error **error);
/* Takes back a plan that this cluster placed and has not released. Any other plan is no-such-job. A plan that was saved and read
 * again is another plan, but for jobs that came with stow_cluster_from_bytes or stow_cluster_adopt. */
stow_status stow_cluster_release(stow_cluster *cluster, const stow_plan *plan, stow_error **error);
/* Takes a job back by its number; otherwise no-such-job. */
stow_status stow_cluster_release_job(stow_cluster *cluster, uint64_t job, stow_error **error);
/* The jobs that run, ascending; the number of the job of a plan; the plan of a job. */
stow_status stow_cluster_jobs(const stow_cluster *cluster, uint64_t *out, size_t capacity, size_t *needed);
stow_status stow_cluster_job_of(const stow_cluster *cluster, const stow_plan *plan, uint64_t *job);
stow_status stow_cluster_plan(const stow_cluster *cluster, uint64_t job, stow_plan **out, stow_error **error);
/* Adds nodes that are up: "n[0-127]:16,m:4". A name without a count has as many slots as its topology has cores. Their hardware is
 * that of `machine`, or of the cluster's machine if it is NULL. A node that is there already is bad-hostlist. */
stow_status stow_cluster_add_nodes(stow_cluster *cluster, const char *hosts, size_t len, const stow_machine *machine,
                                   stow_error **error);
/* Removes nodes. A node on which a job has processes is node-busy, an unknown one no-such-host. */
stow_status stow_cluster_remove(stow_cluster *cluster, const char *hosts, size_t len, stow_error **error);
/* No job starts on nodes that are down or drained; jobs that run there keep what they took until they are released. A job that
 * names such a node is node-closed. */
stow_status stow_cluster_down(stow_cluster *cluster, const char *hosts, size_t len, stow_error **error);
stow_status stow_cluster_up(stow_cluster *cluster, const char *hosts, size_t len, stow_error **error);
stow_status stow_cluster_drain(stow_cluster *cluster, const char *hosts, size_t len, stow_error **error);
/* Says that a node failed, as stow_cluster_down does, and which jobs that hits. They are not released. Nothing changes on
 * STOW_TOO_SMALL. */
stow_status stow_cluster_lose(stow_cluster *cluster, const char *node, size_t len, uint64_t *jobs, size_t capacity, size_t *needed,
                              stow_error **error);
/* The nodes, in order of first mention, and the name of each. */
uint32_t stow_cluster_nodes(const stow_cluster *cluster);
stow_status stow_cluster_node_name(const stow_cluster *cluster, uint32_t node, char *out, size_t capacity, size_t *needed);
/* A node by its name: how it stands (STOW_STANDING_...), its slots with those that are taken, the slots that no process has, the
 * processes on it of all jobs. An unknown name is no-such-host. */
stow_status stow_cluster_standing(const stow_cluster *cluster, const char *node, size_t len, stow_standing *out,
                                  stow_error **error);
stow_status stow_cluster_slots(const stow_cluster *cluster, const char *node, size_t len, uint32_t *out, stow_error **error);
stow_status stow_cluster_free_slots(const stow_cluster *cluster, const char *node, size_t len, uint32_t *out, stow_error **error);
stow_status stow_cluster_procs(const stow_cluster *cluster, const char *node, size_t len, uint32_t *out, stow_error **error);
/* How many processes it may hold at most. STOW_NOT_FOUND if that is not limited. */
stow_status stow_cluster_max_slots(const stow_cluster *cluster, const char *node, size_t len, uint32_t *out, stow_error **error);
/* The cpus by OS number that no process took, and the GPUs by visible number that no job holds, ascending; the jobs that have
 * processes there; its hardware. */
stow_status stow_cluster_free_cpus(const stow_cluster *cluster, const char *node, size_t len, uint32_t *out, size_t capacity,
                                   size_t *needed, stow_error **error);
stow_status stow_cluster_free_gpus(const stow_cluster *cluster, const char *node, size_t len, uint32_t *out, size_t capacity,
                                   size_t *needed, stow_error **error);
stow_status stow_cluster_jobs_on(const stow_cluster *cluster, const char *node, size_t len, uint64_t *out, size_t capacity,
                                 size_t *needed, stow_error **error);
stow_status stow_cluster_topology(const stow_cluster *cluster, const char *node, size_t len, stow_topology **out,
                                  stow_error **error);
/* Takes a running job over: a plan that was saved, or that another cluster placed. Nodes that are not there come with it. A plan
 * whose cpus or slots another job holds is job-collides, with that job's number in the message. */
stow_status stow_cluster_adopt(stow_cluster *cluster, const stow_plan *plan, uint64_t *job, stow_error **error);
/* Another cluster in the same state; all of it in bytes, and back. The jobs keep their numbers. `machine` is what is known about
 * nodes that come later. Foreign, cut or damaged bytes are bad-cluster. */
stow_status stow_cluster_clone(const stow_cluster *cluster, stow_cluster **out, stow_error **error);
stow_status stow_cluster_to_bytes(const stow_cluster *cluster, uint8_t *out, size_t capacity, size_t *needed, stow_error **error);
stow_status stow_cluster_from_bytes(const uint8_t *bytes, size_t len, const stow_machine *machine, stow_cluster **out,
                                    stow_error **error);

/* Why a job does not start now. STOW_NOT_FOUND if it does. The strings live as long as the handle. */
stow_status stow_cluster_explain(const stow_cluster *cluster, const stow_job *job, stow_waiting **out, stow_error **error);
/* All of it as sentences; class and message of the refusal. */
const char *stow_waiting_text(const stow_waiting *waiting);
const char *stow_waiting_class(const stow_waiting *waiting);
const char *stow_waiting_message(const stow_waiting *waiting);
/* The jobs, oldest first, after whose end it starts: this was tried. STOW_NOT_FOUND if it does not start even when all jobs end. */
stow_status stow_waiting_jobs(const stow_waiting *waiting, uint64_t *out, size_t capacity, size_t *needed);

/* Plans one job again each time it loses nodes. A plan costs only what no earlier plan worked out. */
stow_status stow_planner_new(const stow_job *job, const stow_machine *machine, stow_planner **out, stow_error **error);
stow_status stow_planner_plan(stow_planner *planner, stow_plan **out, stow_error **error);
/* Takes a node away: no-such-host if the job does not have it, or no longer has it. */
stow_status stow_planner_lose(stow_planner *planner, const char *node, size_t len, stow_error **error);

/* Mapping components of a launcher's own, beside the engine's: lsf (100), rank_file, ppr, mpibind, seq and round_robin (10). */
stow_status stow_components_new(stow_components **out, stow_error **error);
/* Adds a component; the highest priority (at most 255) is asked first. `count` looks at the app and its nodes: STOW_ANSWER_TAKE if
 * it said with stow_asked_share how many processes they get; STOW_ANSWER_PASS for the next component to be asked;
 * STOW_ANSWER_REFUSE if nobody may place the app (stow_asked_refuse). `objects` (NULL: as --map-by slot) writes the number of an
 * object of kind `object` for each of `procs` processes of a node. With a `word`, it is asked about apps that say it in --map-by,
 * no others. `state` is passed on, and lives until the components and planners made with them are freed. One function of a component
 * runs at a time, perhaps in another thread; it returns (no longjmp or exception leaves it) and places no jobs. A wrong answer is
 * failed-map, which says what is wrong with it. */
stow_status stow_components_add(stow_components *components, const char *name, size_t name_len, uint32_t priority,
                                const char *word, size_t word_len, stow_count count, stow_object object, stow_objects objects,
                                void *state, stow_error **error);
/* As stow_job_from_words (of words of components; nothing can be set on the job), stow_plan_new, stow_cluster_place and
 * stow_planner_new, with these components. */
stow_status stow_components_job(const stow_components *components, const char *const *words, size_t count, stow_job **out,
                                stow_error **error);
stow_status stow_components_place(const stow_components *components, const stow_job *job, const stow_machine *machine,
                                  stow_plan **out, stow_error **error);
stow_status stow_components_place_in(const stow_components *components, stow_cluster *cluster, const stow_job *job,
                                     stow_plan **out, stow_error **error);
stow_status stow_components_planner(const stow_components *components, const stow_job *job, const stow_machine *machine,
                                    stow_planner **out, stow_error **error);

/* The app that a component is asked about, until its function returns: its number, the processes that it asks for (STOW_COUNT: the
 * component counts them), its program, its map policy with parameters. */
uint32_t stow_asked_app(const stow_asked *asked);
uint32_t stow_asked_procs(const stow_asked *asked);
const char *stow_asked_program(const stow_asked *asked);
const char *stow_asked_map_by(const stow_asked *asked);
/* An attribute of the app by the number of its key, as text. STOW_NOT_FOUND if the app does not have it. */
stow_status stow_asked_attribute(const stow_asked *asked, uint32_t key, char *out, size_t capacity, size_t *needed);
/* Its nodes, as rooms of neighbours that are equal for it; in `objects`, one room of one node without a name. How many rooms; of a
 * room: how many nodes it has, how many processes each node may take, the slots of each, the processes on each of any job, the
 * objects of a kind and the free hardware threads of each; 0 if there is no such room. The name of a node, from 0 in its room. */
uint32_t stow_asked_rooms(const stow_asked *asked);
uint32_t stow_asked_nodes(const stow_asked *asked, uint32_t room);
uint32_t stow_asked_avail(const stow_asked *asked, uint32_t room);
uint32_t stow_asked_slots(const stow_asked *asked, uint32_t room);
uint32_t stow_asked_used(const stow_asked *asked, uint32_t room);
uint32_t stow_asked_objects(const stow_asked *asked, uint32_t room, stow_object object);
uint32_t stow_asked_free_hwthreads(const stow_asked *asked, uint32_t room);
stow_status stow_asked_name(const stow_asked *asked, uint32_t room, uint32_t node, char *out, size_t capacity, size_t *needed);
/* In `count`: each of the next `nodes` nodes gets `procs` processes. Shares cover all nodes, and may begin and end inside rooms.
 * Or: why nobody may place the app. The error of the call says it. */
stow_status stow_asked_share(stow_asked *asked, uint32_t nodes, uint32_t procs);
stow_status stow_asked_refuse(stow_asked *asked, const char *why, size_t len);

/* Sessions and reservations: who holds which nodes, and which of them a job may use. Events and answers are lines of JSON without
 * their line ends (docs/session.schema.json); `first` says what the DVM begins with. */
stow_status stow_session_new(const char *first, size_t len, stow_session **out, stow_error **error);
/* Goes on where a journal ends. Its last frame may be cut off: nothing of it counts. */
stow_status stow_session_from_journal(const uint8_t *bytes, size_t len, stow_session **out, stow_error **error);
/* Judges an event and applies it. A line that is no event is `scenario`, and changes nothing. An event that the rules refuse is
 * STOW_OK: its answer says so. */
stow_status stow_session_event(stow_session *session, const char *event, size_t len, stow_error **error);
/* The answer to the last event; "" before the first. */
stow_status stow_session_answer(const stow_session *session, char *out, size_t capacity, size_t *needed);
/* The bytes of the journal that wait to be kept. Append them to the journal, make them safe, and call stow_session_kept; then the
 * answers may leave. All that ever waited, one behind the other, is the journal. */
stow_status stow_session_journal(const stow_session *session, uint8_t *out, size_t capacity, size_t *needed);
stow_status stow_session_kept(stow_session *session, stow_error **error);
/* A short journal that leads to the same sessions. It may replace the one kept so far. */
stow_status stow_session_compact(const stow_session *session, uint8_t *out, size_t capacity, size_t *needed, stow_error **error);
/* The same machine, for a job that may use only the nodes that its sessions let it see. `spawner` is the namespace that spawns the
 * job, "" for the scheduler; `targets` are the sessions that it names, none for those of its spawner. */
stow_status stow_machine_within(const stow_machine *machine, const stow_session *session, const char *spawner, size_t len,
                                const char *const *targets, size_t count, stow_machine **out, stow_error **error);

/* Task maps: on which node each task of a job runs. Reads RFC 34, PMI and raw forms. Errors are the classes taskmap-... */
stow_status stow_taskmap_read(const char *text, size_t len, stow_taskmap **out, stow_error **error);
stow_status stow_taskmap_of_plan(const stow_plan *plan, stow_taskmap **out, stow_error **error);
stow_status stow_taskmap_tasks(const stow_taskmap *map, uint32_t *out, stow_error **error);
/* Nodes, also those without tasks. */
stow_status stow_taskmap_nodes(const stow_taskmap *map, uint32_t *out, stow_error **error);
stow_status stow_taskmap_node_of(const stow_taskmap *map, uint32_t task, uint32_t *out, stow_error **error);
/* The tasks of a node, ascending. */
stow_status stow_taskmap_tasks_of(const stow_taskmap *map, uint32_t node, uint32_t *out, size_t capacity, size_t *needed,
                                  stow_error **error);
/* The map in one of its forms. */
stow_status stow_taskmap_text(const stow_taskmap *map, stow_taskmap_form form, char *out, size_t capacity, size_t *needed,
                              stow_error **error);

/* Where an OpenMP runtime puts the threads of a rank, by the variables of its job. `runtime` is "gnu", "llvm" or "intel", with a
 * version if that matters ("llvm@16"). What a runtime does not answer twice alike is not-modelled. */
stow_status stow_threads_new(const stow_plan *plan, uint32_t rank, const char *runtime, size_t len, stow_threads **out,
                             stow_error **error);
/* The same for a process on these cpus ("1-7,65-71"), with variables as words "NAME=VALUE". */
stow_status stow_threads_from_cpus(const stow_topology *topology, const char *cpus, size_t cpus_len, const char *const *variables,
                                   size_t count, const char *runtime, size_t len, stow_threads **out, stow_error **error);
uint32_t stow_threads_count(const stow_threads *threads);
/* The number of a thread as text: "3", or "3.1" with two levels of regions. It lives as long as the handle. */
const char *stow_threads_name(const stow_threads *threads, uint32_t thread);
/* The place of a thread in the place list; STOW_NONE if it has none. */
stow_status stow_threads_place(const stow_threads *threads, uint32_t thread, uint32_t *place);
/* The cpus on which the kernel lets a thread run, by OS number: "1,65". */
stow_status stow_threads_cpus(const stow_threads *threads, uint32_t thread, char *out, size_t capacity, size_t *needed);
/* The place list, and what omp_get_proc_bind says: "close", "spread" ... */
uint32_t stow_threads_places(const stow_threads *threads);
stow_status stow_threads_place_cpus(const stow_threads *threads, uint32_t place, char *out, size_t capacity, size_t *needed);
const char *stow_threads_bind(const stow_threads *threads);

/* The parts of an error: its stable class, a sentence, what would work, and the text that contains the words in question. A part
 * that the error does not have is "". The strings live as long as the error. */
const char *stow_error_class(const stow_error *error);
const char *stow_error_message(const stow_error *error);
const char *stow_error_hint(const stow_error *error);
const char *stow_error_text(const stow_error *error);
/* All that would work, a line each, as the command prints it behind "help: "; the hint is among the lines. For a job without room
 * these are changes that were planned on the same machine: the first call costs up to a hundred plans. Job and machine may be gone. */
const char *stow_error_help(const stow_error *error);
/* The number of the class, the same in every version; when an error has this class, and what its message names; the app that is
 * refused, from 0. STOW_NOT_FOUND: the job, a file or a node is at fault, whichever app names it. */
uint32_t stow_error_number(const stow_error *error);
const char *stow_error_docs(const stow_error *error);
stow_status stow_error_app(const stow_error *error, uint32_t *app);
/* The bytes of that text that the words in question take up. STOW_NOT_FOUND if there are none. */
stow_status stow_error_span(const stow_error *error, size_t *start, size_t *end);

void stow_topology_free(stow_topology *topology);
void stow_machine_free(stow_machine *machine);
void stow_job_free(stow_job *job);
void stow_plan_free(stow_plan *plan);
void stow_slice_free(stow_slice *slice);
void stow_cluster_free(stow_cluster *cluster);
void stow_waiting_free(stow_waiting *waiting);
void stow_planner_free(stow_planner *planner);
void stow_components_free(stow_components *components);
void stow_session_free(stow_session *session);
void stow_taskmap_free(stow_taskmap *map);
void stow_threads_free(stow_threads *threads);
void stow_explanation_free(stow_explanation *explanation);
void stow_difference_free(stow_difference *difference);
void stow_refused_free(stow_refused *refused);
void stow_error_free(stow_error *error);

#ifdef __cplusplus
}
#endif

#endif
