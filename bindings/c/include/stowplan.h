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
 *           two of this interface: invalid-argument, not-found.
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

#define STOW_API_VERSION 1u
#define STOW_JOB   UINT32_MAX  /* as the app of a policy: the policy is the job's */
#define STOW_COUNT UINT32_MAX  /* as procs: as many processes as policy and slots give */
#define STOW_NONE  UINT32_MAX  /* the node of a proc from a slice */

typedef uint32_t stow_status;
enum { STOW_OK, STOW_REFUSED, STOW_INVALID, STOW_TOO_SMALL, STOW_NOT_FOUND, STOW_INTERNAL };

typedef uint32_t stow_column;
enum {
  STOW_COLUMN_APP, STOW_COLUMN_APP_RANK, STOW_COLUMN_NODE, STOW_COLUMN_LOCAL_RANK, STOW_COLUMN_NODE_RANK,
  STOW_COLUMN_OBJECT_KIND, STOW_COLUMN_OBJECT, STOW_COLUMN_CPUSET
};

typedef uint32_t stow_object;
enum {
  STOW_OBJECT_NONE, STOW_OBJECT_MACHINE, STOW_OBJECT_PACKAGE, STOW_OBJECT_DIE, STOW_OBJECT_NUMA, STOW_OBJECT_L5CACHE,
  STOW_OBJECT_L4CACHE, STOW_OBJECT_L3CACHE, STOW_OBJECT_L2CACHE, STOW_OBJECT_L1CACHE, STOW_OBJECT_CORE, STOW_OBJECT_HWTHREAD,
  STOW_OBJECT_GPU
};

typedef struct stow_topology stow_topology;
typedef struct stow_machine stow_machine;
typedef struct stow_job stow_job;
typedef struct stow_plan stow_plan;
typedef struct stow_slice stow_slice;
typedef struct stow_cluster stow_cluster;
typedef struct stow_error stow_error;

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

/* A job without apps. */
stow_status stow_job_new(stow_job **out, stow_error **error);
/* Reads the words after `prterun` on a command line. Options of the machine or of the output (--topo, -o ...) are bad-option. */
stow_status stow_job_from_words(const char *const *words, size_t count, stow_job **out, stow_error **error);
/* Reads a spawn request in JSON (docs/request.schema.json). */
stow_status stow_job_from_json(const char *text, size_t len, stow_job **out, stow_error **error);
/* Adds an app with `procs` processes, or STOW_COUNT. */
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
stow_status stow_plan_node_name(const stow_plan *plan, uint32_t node, char *out, size_t capacity, size_t *needed);
stow_status stow_plan_node_find(const stow_plan *plan, const char *name, size_t len, uint32_t *node);
/* The ranks on a node, by local rank. */
stow_status stow_plan_node_ranks(const stow_plan *plan, uint32_t node, uint32_t *out, size_t capacity, size_t *needed);
/* One column: a number for each rank. */
stow_status stow_plan_column(const stow_plan *plan, stow_column column, uint32_t *out, size_t capacity, size_t *needed);
/* The cpus of an id from STOW_COLUMN_CPUSET. */
stow_status stow_plan_cpuset(const stow_plan *plan, uint32_t id, char *out, size_t capacity, size_t *needed);
/* The notes on the plan, one in each line: "note[CLASS]: ...\n". */
stow_status stow_plan_notes(const stow_plan *plan, char *out, size_t capacity, size_t *needed);
/* The node of each rank, as a task map of RFC 34 in the wrapped form. */
stow_status stow_plan_task_map(const stow_plan *plan, char *out, size_t capacity, size_t *needed, stow_error **error);
/* Verifies the plan from its promises; the class of a fault is plan-fault. A plan from a broadcast cannot be verified: bad-plan. */
stow_status stow_plan_check(const stow_plan *plan, stow_error **error);
/* The whole plan in bytes. A plan from a broadcast gives the bytes of the broadcast. */
stow_status stow_plan_to_bytes(const stow_plan *plan, uint8_t *out, size_t capacity, size_t *needed, stow_error **error);
/* The part of the plan that every daemon needs, in bytes. */
stow_status stow_plan_to_broadcast(const stow_plan *plan, uint8_t *out, size_t capacity, size_t *needed, stow_error **error);
/* Reads a plan from the bytes of stow_plan_to_bytes or stow_plan_to_broadcast. */
stow_status stow_plan_from_bytes(const uint8_t *bytes, size_t len, stow_plan **out, stow_error **error);
/* The part of the plan that the daemon of one node needs, in bytes. */
stow_status stow_plan_node_slice(const stow_plan *plan, uint32_t node, uint8_t *out, size_t capacity, size_t *needed,
                                 stow_error **error);

/* Reads one node of a plan from the bytes of stow_plan_node_slice. Nothing else of the plan is needed. */
stow_status stow_slice_read(const uint8_t *bytes, size_t len, stow_slice **out, stow_error **error);
uint32_t stow_slice_ranks(const stow_slice *slice);  /* processes of the whole job */
uint32_t stow_slice_procs(const stow_slice *slice);  /* processes of the job on this node */
stow_status stow_slice_node_name(const stow_slice *slice, char *out, size_t capacity, size_t *needed);
stow_status stow_slice_proc(const stow_slice *slice, uint32_t local_rank, stow_proc *out);
stow_status stow_slice_cpus(const stow_slice *slice, uint32_t local_rank, char *out, size_t capacity, size_t *needed);
stow_status stow_slice_gpus(const stow_slice *slice, uint32_t local_rank, char *out, size_t capacity, size_t *needed);
stow_status stow_slice_cpu_words(const stow_slice *slice, uint32_t local_rank, uint64_t *out, size_t capacity, size_t *needed);

/* Nodes that jobs share. The first job names the nodes, and a later job without hosts uses these nodes. A refused job changes
 * nothing. */
stow_status stow_cluster_new(const stow_machine *machine, stow_cluster **out, stow_error **error);
stow_status stow_cluster_place(stow_cluster *cluster, const stow_job *job, stow_plan **out, stow_error **error);
/* Takes back a plan that this cluster placed and has not released. Any other plan is no-such-job. */
stow_status stow_cluster_release(stow_cluster *cluster, const stow_plan *plan, stow_error **error);

/* The parts of an error: its stable class, a sentence, what would work, and the text that contains the words in question. A part
 * that the error does not have is "". The strings live as long as the error. */
const char *stow_error_class(const stow_error *error);
const char *stow_error_message(const stow_error *error);
const char *stow_error_hint(const stow_error *error);
const char *stow_error_text(const stow_error *error);
/* The bytes of that text that the words in question take up. STOW_NOT_FOUND if there are none. */
stow_status stow_error_span(const stow_error *error, size_t *start, size_t *end);

void stow_topology_free(stow_topology *topology);
void stow_machine_free(stow_machine *machine);
void stow_job_free(stow_job *job);
void stow_plan_free(stow_plan *plan);
void stow_slice_free(stow_slice *slice);
void stow_cluster_free(stow_cluster *cluster);
void stow_error_free(stow_error *error);

#ifdef __cplusplus
}
#endif

#endif
