/* A Flux shell plug-in on libstowplan: `flux run --taskmap=stowplan:core ...` maps the tasks of a job as `stowplan map --map-by core`
 * does, on the nodes and cores that Flux gave the job, and binds each task to its planned cpus. Shell options set the order of ranks
 * and the binding: -o stowplan.rank-by=span, -o stowplan.bind-to=core.
 *
 *   cc -shared -fPIC stowplan_flux.c $(pkg-config --cflags --libs stowplan flux-core) -o stowplan.so
 *   flux run -N2 -n64 -o userrc=rc.lua -o cpu-affinity=off --taskmap=stowplan:l3cache ./x
 *       where rc.lua says: plugin.load { file = "/path/to/stowplan.so" }
 *
 * Each shell of the job makes the plan itself, from the topology of its own node. So the nodes of a job must be alike.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLUX_SHELL_PLUGIN_NAME "stowplan"
#include <flux/shell.h>
#include <stowplan.h>

static const char KEPT[] = "stowplan::plan";

/* Returns 0 if the call succeeded. Otherwise writes the error to the shell's log, frees it and returns -1. */
static int fails(stow_status status, stow_error **error)
{
  if (status == STOW_OK)
    return 0;
  shell_log_error("error[%s]: %s", stow_error_class(*error), stow_error_message(*error));
  if (*stow_error_hint(*error))
    shell_log_error("help: %s", stow_error_hint(*error));
  stow_error_free(*error);
  return -1;
}

/* The hosts of the job in the order of their shells, with a slot for each task that Flux would put there. The caller frees the list.
 * *cores gets the cores of a host, which must be the same on all hosts. */
static char *hosts_of(flux_shell_t *shell, int size, const char **cores)
{
  char *list = NULL;
  size_t len = 0;
  *cores = NULL;
  FILE *out = open_memstream(&list, &len);
  for (int rank = 0; out && rank < size; rank++) {
    const char *name, *own;
    int tasks;
    if (flux_shell_rank_info_unpack(shell, rank, "{s:s s:i s:{s:s}}", "name", &name, "ntasks", &tasks, "resources", "cores",
                                    &own) < 0 ||
        (*cores && strcmp(*cores, own) != 0)) {
      shell_log_error("node %d of the job is not known, or has other cores than the first", rank);
      fclose(out);
      free(list);
      return NULL;
    }
    *cores = own;
    fprintf(out, "%s%s:%d", rank ? "," : "", name, tasks);
  }
  return out && fclose(out) == 0 ? list : NULL;
}

/* Makes the machine: the topology of this node, restricted to the job's cores. */
static int read_machine(flux_shell_t *shell, const char *cores, stow_machine **machine)
{
  const char *xml;
  stow_error *error;
  stow_topology *topology;
  if (flux_shell_get_hwloc_xml(shell, &xml) < 0) {
    shell_log_error("the topology of this node is not known");
    return -1;
  }
  if (fails(stow_topology_read(xml, strlen(xml), &topology, &error), &error))
    return -1;
  int bad = fails(stow_machine_new(topology, machine, &error), &error);
  stow_topology_free(topology);
  if (!bad && (bad = fails(stow_machine_set_cpus(*machine, cores, strlen(cores), &error), &error)))
    stow_machine_free(*machine);
  return bad;
}

/* Describes the job: hosts and tasks from Flux, policies from the user. */
static int describe(flux_shell_t *shell, const char *hosts, int tasks, const char *map, stow_job **job)
{
  stow_error *error;
  uint32_t app;
  const char *rank = NULL, *bind = NULL;
  if (flux_shell_getopt_unpack(shell, "stowplan", "{s?s s?s}", "rank-by", &rank, "bind-to", &bind) < 0) {
    shell_log_error("the shell option stowplan takes rank-by and bind-to");
    return -1;
  }
  if (fails(stow_job_new(job, &error), &error))
    return -1;
  if ((map && fails(stow_job_set_map_by(*job, STOW_JOB, map, strlen(map), &error), &error)) ||
      (rank && fails(stow_job_set_rank_by(*job, STOW_JOB, rank, strlen(rank), &error), &error)) ||
      (bind && fails(stow_job_set_bind_to(*job, STOW_JOB, bind, strlen(bind), &error), &error)) ||
      fails(stow_job_add_app(*job, "flux", 4, (uint32_t)tasks, &app, &error), &error) ||
      fails(stow_job_set_hosts(*job, app, hosts, strlen(hosts), &error), &error)) {
    stow_job_free(*job);
    return -1;
  }
  return 0;
}

static void free_plan(void *plan)
{
  stow_plan_free(plan);
}

/* Makes the plan, and keeps it for task.exec. */
static stow_plan *place(flux_plugin_t *plugin, const char *map)
{
  flux_shell_t *shell = flux_plugin_get_shell(plugin);
  int size, tasks;
  const char *cores;
  if (flux_shell_info_unpack(shell, "{s:i s:i}", "size", &size, "ntasks", &tasks) < 0)
    return NULL;
  char *hosts = hosts_of(shell, size, &cores);
  stow_machine *machine;
  stow_job *job;
  stow_plan *plan = NULL;
  stow_error *error;
  if (hosts && read_machine(shell, cores, &machine) == 0) {
    if (describe(shell, hosts, tasks, map, &job) == 0) {
      if (fails(stow_plan_new(job, machine, &plan, &error), &error))
        plan = NULL;
      stow_job_free(job);
    }
    stow_machine_free(machine);
  }
  free(hosts);
  if (plan && flux_plugin_aux_set(plugin, KEPT, plan, free_plan) < 0) {
    stow_plan_free(plan);
    plan = NULL;
  }
  return plan;
}

/* taskmap.stowplan. In: {"taskmap": the shell's own map, "value": the text after stowplan:}. Out: {"taskmap": RFC 34}. */
static int taskmap(flux_plugin_t *plugin, const char *topic, flux_plugin_arg_t *args, void *data)
{
  (void)topic;
  (void)data;
  const char *value = NULL;
  if (flux_plugin_arg_unpack(args, FLUX_PLUGIN_ARG_IN, "{s?s}", "value", &value) < 0)
    return -1;
  stow_plan *plan = place(plugin, value && *value ? value : NULL);
  if (!plan)
    return -1;
  stow_error *error;
  size_t len = 0;
  stow_status status = stow_plan_task_map(plan, NULL, 0, &len, &error);
  if (status != STOW_TOO_SMALL)
    return fails(status, &error);
  char *map = malloc(len);
  int bad = !map || fails(stow_plan_task_map(plan, map, len, &len, &error), &error) ||
            flux_plugin_arg_pack(args, FLUX_PLUGIN_ARG_OUT, "{s:s}", "taskmap", map) < 0;
  free(map);
  return bad ? -1 : 0;
}

/* task.exec: runs in the task, after fork and just before it becomes the program. A task that the plan does not bind keeps its cpus. */
static int bind_task(flux_plugin_t *plugin, const char *topic, flux_plugin_arg_t *args, void *data)
{
  (void)topic;
  (void)args;
  (void)data;
  const stow_plan *plan = flux_plugin_aux_get(plugin, KEPT);
  uint64_t bits[CPU_SETSIZE / 64];
  size_t words;
  int rank;
  if (!plan)
    return 0;
  if (flux_shell_task_info_unpack(flux_shell_current_task(flux_plugin_get_shell(plugin)), "{s:i}", "rank", &rank) < 0 ||
      stow_plan_cpu_words(plan, (uint32_t)rank, bits, CPU_SETSIZE / 64, &words) != STOW_OK)
    return -1;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (size_t cpu = 0; cpu < words * 64; cpu++)
    if (bits[cpu / 64] >> cpu % 64 & 1)
      CPU_SET(cpu, &set);
  if (words > 0 && sched_setaffinity(0, sizeof set, &set) < 0) {
    shell_log_error("rank %d cannot be bound to the cpus that were planned", rank);
    return -1;
  }
  return 0;
}

int flux_plugin_init(flux_plugin_t *plugin)
{
  if (flux_plugin_add_handler(plugin, "taskmap.stowplan", taskmap, NULL) < 0)
    return -1;
  return flux_plugin_add_handler(plugin, "task.exec", bind_task, NULL);
}
