/* Eight threads read one job, machine and plan. A child of fork places a job that is large enough to be shared between threads. */
#ifdef __linux__
#define _GNU_SOURCE /* unshare */
#include <sched.h>
#else
#define _POSIX_C_SOURCE 200809L
#endif
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stowplan.h>

#define TEXT(text) (text), strlen(text)

static stow_machine *machine;
static stow_job *job;
static stow_plan *plan;

static void *reader(void *from)
{
  size_t bad = 0;
  char text[64];
  size_t needed;
  uint32_t node, ranks[8];
  uint64_t bits[4];
  for (uint32_t rank = (uint32_t)(size_t)from; rank < stow_plan_ranks(plan); rank += 8) {
    stow_proc proc = { .size = sizeof proc };
    bad += stow_plan_proc(plan, rank, &proc) != STOW_OK || proc.node != rank / 8;
    bad += stow_plan_cpus(plan, rank, text, sizeof text, &needed) != STOW_OK;
    bad += stow_plan_gpus(plan, rank, text, sizeof text, &needed) != STOW_OK;
    bad += stow_plan_cpu_words(plan, rank, bits, 4, &needed) != STOW_OK;
    bad += stow_plan_node_name(plan, proc.node, text, sizeof text, &needed) != STOW_OK;
    bad += stow_plan_node_find(plan, text, strlen(text), &node) != STOW_OK || node != proc.node;
    bad += stow_plan_node_ranks(plan, node, ranks, 8, &needed) != STOW_OK || ranks[rank % 8] != rank;
  }
  /* The first thread that asks makes the table and deals the GPUs. All threads get the same. */
  uint32_t *column = malloc(stow_plan_ranks(plan) * sizeof *column);
  for (stow_column kind = STOW_COLUMN_APP; kind <= STOW_COLUMN_CPUSET; kind++)
    bad += stow_plan_column(plan, kind, column, stow_plan_ranks(plan), &needed) != STOW_OK;
  free(column);
  bad += stow_plan_check(plan, NULL) != STOW_OK;
  bad += stow_plan_task_map(plan, text, sizeof text, &needed, NULL) != STOW_OK;
  bad += stow_plan_to_bytes(plan, NULL, 0, &needed, NULL) != STOW_TOO_SMALL;
  stow_plan *own;
  bad += stow_plan_new(job, machine, &own, NULL) != STOW_OK;
  bad += stow_plan_ranks(own) != stow_plan_ranks(plan);
  stow_plan_free(own);
  bad += stow_plan_column(plan, STOW_COLUMN_APP, NULL, 0, &needed) != STOW_TOO_SMALL;
  return (void *)bad;
}

/* Places half a million ranks on 16384 nodes, and makes their table: this work is shared between threads. */
static int large(void)
{
  static char hosts[1 << 20];
  static uint32_t column[1 << 20];
  size_t at = 0;
  for (int node = 0; node < 16384; node++)
    at += (size_t)sprintf(hosts + at, "%sx%dy:%d", node ? "," : "", node * 7, 32 + node % 64);
  stow_job *big;
  stow_plan *own;
  uint32_t app;
  size_t needed;
  int bad = stow_job_new(&big, NULL) != STOW_OK;
  bad |= stow_job_add_app(big, TEXT("./x"), 500000, &app, NULL) != STOW_OK;
  bad |= stow_job_set_hosts(big, app, hosts, at, NULL) != STOW_OK;
  bad |= stow_job_set_map_by(big, app, TEXT("slot:oversubscribe"), NULL) != STOW_REFUSED;
  bad |= stow_job_set_map_by(big, STOW_JOB, TEXT("slot:oversubscribe"), NULL) != STOW_OK;
  bad |= stow_plan_new(big, machine, &own, NULL) != STOW_OK;
  bad |= stow_plan_column(own, STOW_COLUMN_NODE, column, 1 << 20, &needed) != STOW_OK || needed != 500000;
  stow_plan_free(own);
  stow_job_free(big);
  return bad;
}

/* A child in a new namespace of process ids. Where this program is the first of its own, the child has the same id, and the threads of
   the library are not there all the same. */
static int apart(void)
{
#ifdef __linux__
  pid_t own = getpid();
  if (unshare(CLONE_NEWPID) != 0)
    return 8;
  pid_t child = fork();
  if (child == 0)
    _exit(getpid() == own ? large() : 16);
  int status;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
    return 32;
  return WEXITSTATUS(status);
#else
  return 8;
#endif
}

int main(int count, char **given)
{
  const char *const words[] = { "-n", "8000", "-H", "n[0-999]:8", "--map-by", "core", "./x" };
  stow_topology *topology;
  int bad = stow_topology_read(TEXT("package:2 core:4 pu:2"), &topology, NULL) != STOW_OK;
  bad |= stow_machine_new(topology, &machine, NULL) != STOW_OK;
  bad |= stow_job_from_words(words, 7, &job, NULL) != STOW_OK;
  bad |= stow_plan_new(job, machine, &plan, NULL) != STOW_OK;
  pthread_t threads[8];
  for (size_t at = 0; at < 8; at++)
    bad |= pthread_create(&threads[at], NULL, reader, (void *)at) != 0;
  for (size_t at = 0; at < 8; at++) {
    void *found;
    bad |= pthread_join(threads[at], &found) != 0 || found != NULL;
  }
  bad |= large() << 1;
  pid_t child = fork();
  if (child == 0)
    _exit(large());
  int status;
  bad |= waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0 ? 4 : 0;
  if (count > 1 && strcmp(given[1], "apart") == 0)
    bad |= apart();
  stow_plan_free(plan);
  stow_job_free(job);
  stow_machine_free(machine);
  stow_topology_free(topology);
  printf("%d\n", bad);
  return bad;
}
