/* A launcher on libstowplan. It places a job of two apps. The daemon of each node (here a child process) reads only the node's
 * slice and prints what it would start. Then a second job is placed on what is left, and the first job is released.
 *
 *   cc -std=c11 launcher.c $(pkg-config --cflags --libs stowplan) -o launcher && ./launcher
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stowplan.h>

#define TEXT(text) (text), strlen(text)

/* Exits on an error, after printing it with the words in question underlined. */
static void must(stow_status status, stow_error **error)
{
  if (status == STOW_OK)
    return;
  if (!error) {
    fprintf(stderr, "status %u\n", status);
    exit(2);
  }
  fprintf(stderr, "error[%s]: %s\n", stow_error_class(*error), stow_error_message(*error));
  size_t start, end;
  if (stow_error_span(*error, &start, &end) == STOW_OK) {
    fprintf(stderr, "  %s\n  %*s", stow_error_text(*error), (int)start, "");
    for (size_t at = start; at < end; at++)
      fputc('^', stderr);
    fputc('\n', stderr);
  }
  if (*stow_error_hint(*error))
    fprintf(stderr, "help: %s\n", stow_error_hint(*error));
  stow_error_free(*error);
  exit(2);
}

/* The work of a daemon, which knows only its own slice of the plan. */
static void daemon_of(const uint8_t *bytes, size_t len)
{
  stow_error *error;
  stow_slice *slice;
  must(stow_slice_read(bytes, len, &slice, &error), &error);
  char name[64], cpus[256];
  size_t needed;
  must(stow_slice_node_name(slice, name, sizeof name, &needed), NULL);
  for (uint32_t local = 0; local < stow_slice_procs(slice); local++) {
    stow_proc proc = { .size = sizeof proc };
    must(stow_slice_proc(slice, local, &proc), NULL);
    must(stow_slice_cpus(slice, local, cpus, sizeof cpus, &needed), NULL);
    printf("%s: rank %u of %u, app %u, %s:%u, cpus %s\n", name, proc.rank, stow_slice_ranks(slice), proc.app,
           stow_object_name(proc.object_kind), proc.object, cpus);
  }
  stow_slice_free(slice);
}

/* Starts a child for each node, and waits for it. Returns how many succeeded. */
static unsigned start_daemons(const stow_plan *plan)
{
  unsigned well = 0;
  for (uint32_t node = 0; node < stow_plan_nodes(plan); node++) {
    stow_error *error;
    size_t len = 0;
    if (stow_plan_node_slice(plan, node, NULL, 0, &len, &error) != STOW_TOO_SMALL)
      must(STOW_INTERNAL, &error);
    uint8_t *bytes = malloc(len);
    must(stow_plan_node_slice(plan, node, bytes, len, &len, &error), &error);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      daemon_of(bytes, len);
      fflush(stdout);
      _exit(0);
    }
    free(bytes);
    int status;
    if (waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0)
      well++;
  }
  return well;
}

/* Checks that a plan from a broadcast, which goes to all daemons at once, knows where every rank is. */
static void broadcast(const stow_plan *plan)
{
  stow_error *error;
  size_t len = 0;
  (void)stow_plan_to_broadcast(plan, NULL, 0, &len, &error);
  uint8_t *bytes = malloc(len);
  must(stow_plan_to_broadcast(plan, bytes, len, &len, &error), &error);
  stow_plan *there;
  must(stow_plan_from_bytes(bytes, len, &there, &error), &error);
  free(bytes);
  for (uint32_t rank = 0; rank < stow_plan_ranks(plan); rank++) {
    stow_proc here = { .size = sizeof here }, seen = { .size = sizeof seen };
    must(stow_plan_proc(plan, rank, &here), NULL);
    must(stow_plan_proc(there, rank, &seen), NULL);
    if (memcmp(&here, &seen, sizeof here) != 0)
      must(STOW_INTERNAL, NULL);
  }
  printf("broadcast: %zu bytes for %u ranks\n", len, stow_plan_ranks(plan));
  stow_plan_free(there);
}

int main(void)
{
  stow_error *error;
  stow_topology *topology;
  stow_machine *machine;
  stow_cluster *cluster;
  must(stow_topology_read(TEXT("package:2 core:4 pu:2"), &topology, &error), &error);
  must(stow_machine_new(topology, &machine, &error), &error);
  stow_topology_free(topology);
  must(stow_cluster_new(machine, &cluster, &error), &error);
  stow_machine_free(machine);

  stow_job *job;
  uint32_t ocean, io;
  must(stow_job_new(&job, &error), &error);
  must(stow_job_set_map_by(job, STOW_JOB, TEXT("core"), &error), &error);
  must(stow_job_set_bind_to(job, STOW_JOB, TEXT("core"), &error), &error);
  must(stow_job_add_app(job, TEXT("./ocean"), 9, &ocean, &error), &error);
  must(stow_job_set_hosts(job, ocean, TEXT("n[0-2]:8"), &error), &error);
  must(stow_job_add_app(job, TEXT("./io"), 3, &io, &error), &error);
  must(stow_job_set_hosts(job, io, TEXT("n[0-2]:8"), &error), &error);
  must(stow_job_set_map_by(job, io, TEXT("ppr:1:core"), &error), &error);
  stow_plan *plan, *second;
  must(stow_cluster_place(cluster, job, &plan, &error), &error);
  must(stow_plan_check(plan, &error), &error);
  stow_job_free(job);

  broadcast(plan);
  printf("%u daemons did well\n", start_daemons(plan));

  const char *const words[] = { "-n", "4", "--map-by", "core", "--bind-to", "core", "./second" };
  must(stow_job_from_words(words, sizeof words / sizeof *words, &job, &error), &error);
  must(stow_cluster_place(cluster, job, &second, &error), &error);
  char map[128];
  size_t needed;
  must(stow_plan_task_map(second, map, sizeof map, &needed, &error), &error);
  printf("second: %s\n", map);
  must(stow_cluster_release(cluster, plan, &error), &error);
  if (stow_cluster_release(cluster, plan, &error) == STOW_REFUSED)
    printf("released twice: %s\n", stow_error_class(error));
  stow_error_free(error);
  must(stow_cluster_release(cluster, second, &error), &error);

  stow_plan_free(plan);
  stow_plan_free(second);
  stow_job_free(job);
  stow_cluster_free(cluster);
  return 0;
}
