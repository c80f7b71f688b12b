/* stowplan.h: where every process of a parallel job runs. Link with -lstowplan; `pkg-config --cflags --libs stowplan` says how.
 *
 * A topology is the hardware of a node, a machine that of all nodes. A job is what prterun's command line says. Of both comes a
 * plan, which says where each rank is, and on which cpus. A cluster keeps what jobs left for the next ones. The library opens no
 * file, reads no environment, prints nothing, and keeps nothing that is passed in: free or change it as you like, in any order.
 * Numbers begin at 0. Nodes are numbered by order of mention, idle ones too. Unbound is the empty set, as text "".
 *
 * Handles   are opaque, each with its own _free, which takes NULL. A handle that a function takes as const may be used by any
 *           number of threads at once; any other is one thread's during the call. A child of fork may call everything too.
 * Status    Functions give STOW_OK; STOW_REFUSED (the request, text or bytes are wrong: see the error); STOW_INVALID (NULL, text
 *           that is no UTF-8, an unknown constant, a size that is too small or absurd); STOW_TOO_SMALL; STOW_NOT_FOUND (no such
 *           rank, node, app, id, name or span); STOW_INTERNAL (a fault of the library, caught). Outputs are written on STOW_OK
 *           alone, except *error and *needed as told here. The library never aborts and never unwinds into the caller.
 * NULL      is STOW_INVALID, except for `error`, and for a pointer whose length or capacity is 0. Functions without a status
 *           give 0 or "" for it.
 * Errors    Where `error` is not NULL, *error becomes NULL on STOW_OK and STOW_TOO_SMALL, else an object to be freed with
 *           stow_error_free; what was there is overwritten, never freed. Classes are those of docs/errors.md, and two of this
 *           interface: invalid-argument, not-found.
 * Text in   is a pointer and a length in bytes, UTF-8, no NUL needed; a command line is a vector of C strings, as main has it.
 * Text and  arrays out go into memory of the caller: (out, capacity, needed), counted in items; text ends with a NUL that counts.
 *           *needed is written on STOW_OK and STOW_TOO_SMALL: ask with capacity 0, allocate, ask again.
 * Setters   replace what was set. What is wrong in the words alone is refused there and changes nothing; what does not go
 *           together, and files, are refused by stow_plan_new. Apps are numbered as they are added.
 * Growth    Functions, constants, and fields at the end of a struct that begins with `size` are added with a higher
 *           STOW_API_VERSION; all that this header has is there when stow_api_version() >= STOW_API_VERSION. Set `size` to
 *           sizeof the struct before each call: no more is written, and fields the library does not know become 0. Nothing is
 *           changed or removed but with another SONAME (libstowplan.so.1).
 */
#ifndef STOWPLAN_H
#define STOWPLAN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STOW_API_VERSION 1u
#define STOW_JOB   UINT32_MAX  /* in place of an app's number, for policies: the job's own */
#define STOW_COUNT UINT32_MAX  /* procs: as many as policy and slots give */
#define STOW_NONE  UINT32_MAX  /* the node in a proc of a slice */

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

/* One process. `object` is 0 where `object_kind` is STOW_OBJECT_NONE. */
typedef struct stow_proc {
  size_t size;
  uint32_t rank, app, app_rank, node, local_rank, node_rank, object_kind, object;
} stow_proc;

/* The version that this library has. */
uint32_t stow_api_version(void);
/* The word for a kind of objects, "core"; "" for none and for unknown ones. */
const char *stow_object_name(stow_object kind);

/* Reads a topology: the contents of an hwloc XML file, a synthetic description, or builtin:NAME. */
stow_status stow_topology_read(const char *text, size_t len, stow_topology **out, stow_error **error);

/* A machine of which all nodes have this topology. */
stow_status stow_machine_new(const stow_topology *all, stow_machine **out, stow_error **error);
/* Another topology for the nodes of a host list; later ones win. */
stow_status stow_machine_set_topology(stow_machine *machine, const char *nodes, size_t len, const stow_topology *topology,
                                      stow_error **error);
/* The node that the launcher runs on. */
stow_status stow_machine_set_head(stow_machine *machine, const char *name, size_t len, stow_error **error);
/* The logical cores that may be used on every node, "0-3,7", or hardware threads, "0-3,7:HWTCPUS": hwloc_default_cpu_list. */
stow_status stow_machine_set_cpus(stow_machine *machine, const char *list, size_t len, stow_error **error);

/* A job without apps. */
stow_status stow_job_new(stow_job **out, stow_error **error);
/* A command line of prterun behind its name. What is the machine's or the output's (--topo, -o ...) is bad-option. */
stow_status stow_job_from_words(const char *const *words, size_t count, stow_job **out, stow_error **error);
/* A spawn request: docs/request.schema.json. */
stow_status stow_job_from_json(const char *text, size_t len, stow_job **out, stow_error **error);
/* Adds an app of so many processes, or STOW_COUNT. */
stow_status stow_job_add_app(stow_job *job, const char *program, size_t len, uint32_t procs, uint32_t *app,
                             stow_error **error);
/* The nodes that an app names, with their slots: "n[000-127]:8,m:4". */
stow_status stow_job_set_hosts(stow_job *job, uint32_t app, const char *list, size_t len, stow_error **error);
/* The contents of an app's hostfile. */
stow_status stow_job_set_hostfile(stow_job *job, uint32_t app, const char *text, size_t len, stow_error **error);
/* Policies, as behind --map-by, --rank-by and --bind-to: an app's own, or with STOW_JOB the job's. */
stow_status stow_job_set_map_by(stow_job *job, uint32_t app, const char *policy, size_t len, stow_error **error);
stow_status stow_job_set_rank_by(stow_job *job, uint32_t app, const char *policy, size_t len, stow_error **error);
stow_status stow_job_set_bind_to(stow_job *job, uint32_t app, const char *policy, size_t len, stow_error **error);
/* A file that words name, as seq:file=NAME does: its contents. Nothing is read from any disk. */
stow_status stow_job_set_file(stow_job *job, const char *name, size_t name_len, const char *text, size_t len,
                              stow_error **error);
/* The job in bytes, with its files, to be handed to another process. Its words do not travel: what is refused later has the
 * same class, and no text. */
stow_status stow_job_to_bytes(const stow_job *job, uint8_t *out, size_t capacity, size_t *needed, stow_error **error);
stow_status stow_job_from_bytes(const uint8_t *bytes, size_t len, stow_job **out, stow_error **error);

/* Places a job on a machine. */
stow_status stow_plan_new(const stow_job *job, const stow_machine *machine, stow_plan **out, stow_error **error);
uint32_t stow_plan_ranks(const stow_plan *plan);
uint32_t stow_plan_nodes(const stow_plan *plan);
uint32_t stow_plan_apps(const stow_plan *plan);
/* Ids of cpu sets are below this; 0 is the empty set. */
uint32_t stow_plan_cpusets(const stow_plan *plan);
/* One process; set out->size first. */
stow_status stow_plan_proc(const stow_plan *plan, uint32_t rank, stow_proc *out);
/* The cpus it is bound to, by OS number: "0-3,128-131". */
stow_status stow_plan_cpus(const stow_plan *plan, uint32_t rank, char *out, size_t capacity, size_t *needed);
/* The same as bits: bit i of word w is OS number 64w + i; the last word is not 0. */
stow_status stow_plan_cpu_words(const stow_plan *plan, uint32_t rank, uint64_t *out, size_t capacity, size_t *needed);
/* The GPUs it is given, as CUDA_VISIBLE_DEVICES and its kin take them, "4,5"; "" for none. */
stow_status stow_plan_gpus(const stow_plan *plan, uint32_t rank, char *out, size_t capacity, size_t *needed);
stow_status stow_plan_node_name(const stow_plan *plan, uint32_t node, char *out, size_t capacity, size_t *needed);
stow_status stow_plan_node_find(const stow_plan *plan, const char *name, size_t len, uint32_t *node);
/* The ranks on a node, by local rank. */
stow_status stow_plan_node_ranks(const stow_plan *plan, uint32_t node, uint32_t *out, size_t capacity, size_t *needed);
/* A number for each rank. */
stow_status stow_plan_column(const stow_plan *plan, stow_column column, uint32_t *out, size_t capacity, size_t *needed);
/* The cpus of an id of STOW_COLUMN_CPUSET. */
stow_status stow_plan_cpuset(const stow_plan *plan, uint32_t id, char *out, size_t capacity, size_t *needed);
/* What is worth knowing: lines "note[CLASS]: ...\n". */
stow_status stow_plan_notes(const stow_plan *plan, char *out, size_t capacity, size_t *needed);
/* The node of each rank as a task map of RFC 34, wrapped. */
stow_status stow_plan_task_map(const stow_plan *plan, char *out, size_t capacity, size_t *needed, stow_error **error);
/* Judges the plan from its promises: plan-fault. One from a broadcast cannot be judged: bad-plan. */
stow_status stow_plan_check(const stow_plan *plan, stow_error **error);
/* The whole plan in bytes; of a plan from a broadcast, the broadcast. */
stow_status stow_plan_to_bytes(const stow_plan *plan, uint8_t *out, size_t capacity, size_t *needed, stow_error **error);
/* What every daemon needs. */
stow_status stow_plan_to_broadcast(const stow_plan *plan, uint8_t *out, size_t capacity, size_t *needed, stow_error **error);
/* Reads either. */
stow_status stow_plan_from_bytes(const uint8_t *bytes, size_t len, stow_plan **out, stow_error **error);
/* What the daemon of one node needs. */
stow_status stow_plan_node_slice(const stow_plan *plan, uint32_t node, uint8_t *out, size_t capacity, size_t *needed,
                                 stow_error **error);

/* One node of a plan, from those bytes alone. */
stow_status stow_slice_read(const uint8_t *bytes, size_t len, stow_slice **out, stow_error **error);
uint32_t stow_slice_ranks(const stow_slice *slice);  /* of the whole job */
uint32_t stow_slice_procs(const stow_slice *slice);  /* of the job on this node */
stow_status stow_slice_node_name(const stow_slice *slice, char *out, size_t capacity, size_t *needed);
stow_status stow_slice_proc(const stow_slice *slice, uint32_t local_rank, stow_proc *out);
stow_status stow_slice_cpus(const stow_slice *slice, uint32_t local_rank, char *out, size_t capacity, size_t *needed);
stow_status stow_slice_gpus(const stow_slice *slice, uint32_t local_rank, char *out, size_t capacity, size_t *needed);
stow_status stow_slice_cpu_words(const stow_slice *slice, uint32_t local_rank, uint64_t *out, size_t capacity, size_t *needed);

/* Nodes that jobs share: the first job names them, one without hosts uses those there are. A refused job changes nothing. */
stow_status stow_cluster_new(const stow_machine *machine, stow_cluster **out, stow_error **error);
stow_status stow_cluster_place(stow_cluster *cluster, const stow_job *job, stow_plan **out, stow_error **error);
/* Takes back a plan that this cluster placed and did not release; any other is no-such-job. */
stow_status stow_cluster_release(stow_cluster *cluster, const stow_plan *plan, stow_error **error);

/* What an error says: its stable class, a sentence, what would work, and the text in which the words meant stand; "" for what it
 * does not have. The strings live as long as the error. */
const char *stow_error_class(const stow_error *error);
const char *stow_error_message(const stow_error *error);
const char *stow_error_hint(const stow_error *error);
const char *stow_error_text(const stow_error *error);
/* The bytes of that text which are meant; STOW_NOT_FOUND where there are none. */
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
