/* A Slurm plug-in on libstowplan: `srun --stowplan=FILE ...` binds each rank to the cpus that a saved plan gives it, and refuses
 * to start a rank on a node other than the planned one. srun needs no options for cpus, so a plan with other cpus on some nodes runs
 * unchanged. srun still decides the order of ranks (-m, or SLURM_HOSTFILE: `stowplan export srun` writes it).
 *
 *   cc -shared -fPIC stowplan_spank.c $(pkg-config --cflags --libs stowplan) -o stowplan_spank.so
 *   echo 'required /usr/lib/slurm/stowplan_spank.so' >> plugstack.conf
 *   stowplan map ... --save job.plan && srun -n 64 --stowplan=job.plan ./x
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <slurm/spank.h>
#include <stowplan.h>

SPANK_PLUGIN(stowplan, 1)

#define PLAN_BYTES_MAX ((size_t)1 << 30)
#define NODE_NAME_MAX 1024

/* slurmstepd reads the plan once for all tasks of its node. Each task is a child of slurmstepd and finds the plan here. */
static char *plan_file;
static stow_plan *plan;
/* The plan is not that of the step: no task starts. It is said here and acted upon in the tasks, because srun of Slurm 22.05 ends with
 * status 0 if a plug-in fails before tasks are forked. */
static int refused;

static int remember(int value, const char *argument, int remote)
{
  (void)value;
  (void)remote;
  free(plan_file);
  plan_file = strdup(argument);
  return plan_file ? 0 : -1;
}

static struct spank_option option = {
  .name = "stowplan", .arginfo = "FILE", .usage = "Bind ranks as the plan in FILE says (stowplan map --save FILE).",
  .has_arg = 1, .val = 0, .cb = remember,
};

int slurm_spank_init(spank_t spank, int count, char *words[])
{
  (void)count;
  (void)words;
  return spank_option_register(spank, &option) == ESPANK_SUCCESS ? 0 : -1;
}

/* The bytes of a file, which the caller frees. NULL if the file cannot be read. */
static uint8_t *read_file(const char *path, size_t *len)
{
  FILE *file = fopen(path, "rb");
  uint8_t *bytes = NULL;
  size_t room = 1 << 16;
  *len = 0;
  while (file && room <= PLAN_BYTES_MAX) {
    uint8_t *more = realloc(bytes, room);
    if (!more)
      break;
    bytes = more;
    *len += fread(bytes + *len, 1, room - *len, file);
    if (*len < room) {
      int good = !ferror(file);
      fclose(file);
      if (good)
        return bytes;
      file = NULL;
    }
    room *= 2;
  }
  if (file)
    fclose(file);
  free(bytes);
  return NULL;
}

/* Runs once on each node, as the user and in the step's working directory, before tasks are forked. */
int slurm_spank_user_init(spank_t spank, int count, char *words[])
{
  (void)count;
  (void)words;
  if (!plan_file || spank_remote(spank) != 1)
    return 0;
  size_t len;
  uint8_t *bytes = read_file(plan_file, &len);
  if (!bytes) {
    slurm_error("stowplan: %s cannot be read", plan_file);
    refused = 1;
    return 0;
  }
  stow_error *error;
  stow_status status = stow_plan_from_bytes(bytes, len, &plan, &error);
  free(bytes);
  if (status != STOW_OK) {
    slurm_error("stowplan: %s: error[%s]: %s", plan_file, stow_error_class(error), stow_error_message(error));
    stow_error_free(error);
    refused = 1;
    return 0;
  }
  uint32_t tasks;
  if (spank_get_item(spank, S_JOB_TOTAL_TASK_COUNT, &tasks) != ESPANK_SUCCESS || tasks != stow_plan_ranks(plan)) {
    slurm_error("stowplan: %s is a plan of %" PRIu32 " ranks, the step has another number", plan_file, stow_plan_ranks(plan));
    refused = 1;
  }
  return 0;
}

/* Binds the calling process to the cpus of a rank. A rank that the plan does not bind keeps the cpus it has. */
static int bind_rank(uint32_t rank)
{
  size_t words = 0;
  if (stow_plan_cpu_words(plan, rank, NULL, 0, &words) == STOW_OK)
    return 0;
  uint64_t *bits = calloc(words, sizeof *bits);
  cpu_set_t *set = CPU_ALLOC(words * 64);
  size_t size = CPU_ALLOC_SIZE(words * 64);
  int done = -1;
  if (bits && set && stow_plan_cpu_words(plan, rank, bits, words, &words) == STOW_OK) {
    CPU_ZERO_S(size, set);
    for (size_t cpu = 0; cpu < words * 64; cpu++)
      if (bits[cpu / 64] >> cpu % 64 & 1)
        CPU_SET_S(cpu, size, set);
    done = sched_setaffinity(0, size, set);
  }
  CPU_FREE(set);
  free(bits);
  return done;
}

/* Runs in each task, after fork and just before it becomes the program. */
int slurm_spank_task_init(spank_t spank, int count, char *words[])
{
  (void)count;
  (void)words;
  if (refused)
    return -1;
  if (!plan)
    return 0;
  uint32_t rank;
  char here[NODE_NAME_MAX], planned[NODE_NAME_MAX];
  size_t needed;
  stow_proc proc = { .size = sizeof proc };
  if (spank_get_item(spank, S_TASK_GLOBAL_ID, &rank) != ESPANK_SUCCESS || stow_plan_proc(plan, rank, &proc) != STOW_OK ||
      stow_plan_node_name(plan, proc.node, planned, sizeof planned, &needed) != STOW_OK ||
      spank_getenv(spank, "SLURMD_NODENAME", here, sizeof here) != ESPANK_SUCCESS) {
    slurm_error("stowplan: a task's rank or node is not known");
    return -1;
  }
  if (strcmp(here, planned) != 0) {
    slurm_error("stowplan: rank %" PRIu32 " was planned on %s and is on %s: give srun the plan's order", rank, planned, here);
    return -1;
  }
  if (bind_rank(rank) != 0) {
    slurm_error("stowplan: rank %" PRIu32 " cannot be bound to the cpus that were planned: %s has not got them", rank, here);
    return -1;
  }
  return 0;
}

int slurm_spank_exit(spank_t spank, int count, char *words[])
{
  (void)spank;
  (void)count;
  (void)words;
  stow_plan_free(plan);
  free(plan_file);
  plan = NULL;
  plan_file = NULL;
  return 0;
}
