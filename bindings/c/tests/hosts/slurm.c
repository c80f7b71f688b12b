/* Calls the Slurm plug-in as slurmstepd would on one node, and prints the cpus that each task was bound to:
 *
 *   host PLAN NODE RANK...     starts these ranks on this node, in a step of $TASKS ranks
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <slurm/spank.h>

static struct spank_option *registered;
static unsigned total, rank;
static const char *node;

int spank_remote(spank_t spank)
{
  (void)spank;
  return 1;
}

spank_err_t spank_option_register(spank_t spank, struct spank_option *option)
{
  (void)spank;
  registered = option;
  return ESPANK_SUCCESS;
}

spank_err_t spank_get_item(spank_t spank, spank_item_t item, ...)
{
  (void)spank;
  va_list outs;
  va_start(outs, item);
  unsigned *out = va_arg(outs, unsigned *);
  va_end(outs);
  if (item != S_JOB_TOTAL_TASK_COUNT && item != S_TASK_GLOBAL_ID)
    return ESPANK_ERROR;
  *out = item == S_TASK_GLOBAL_ID ? rank : total;
  return ESPANK_SUCCESS;
}

spank_err_t spank_getenv(spank_t spank, const char *name, char *out, int len)
{
  (void)spank;
  if (strcmp(name, "SLURMD_NODENAME") != 0 || (int)strlen(node) >= len)
    return ESPANK_ERROR;
  strcpy(out, node);
  return ESPANK_SUCCESS;
}

void slurm_error(const char *format, ...)
{
  va_list values;
  va_start(values, format);
  vprintf(format, values);
  va_end(values);
  putchar('\n');
}

/* Replaces the function of the C library, because the test asks for more cpus than this machine has. */
int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
  printf("rank %u:", rank);
  for (size_t cpu = 0; pid == 0 && cpu < size * 8; cpu++)
    if (CPU_ISSET_S(cpu, size, set))
      printf(" %zu", cpu);
  putchar('\n');
  return 0;
}

int main(int count, char *words[])
{
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (count < 4 || slurm_spank_init(NULL, 0, NULL) != 0)
    return 2;
  node = words[2];
  total = (unsigned)atoi(getenv("TASKS"));
  if (registered->cb(registered->val, words[1], 1) != 0 || slurm_spank_user_init(NULL, 0, NULL) != 0) {
    slurm_spank_exit(NULL, 0, NULL);
    return 1;
  }
  int bad = 0;
  for (int at = 3; at < count; at++) {
    rank = (unsigned)atoi(words[at]);
    pid_t child = fork();
    if (child == 0)
      _exit(slurm_spank_task_init(NULL, 0, NULL) == 0 ? 0 : 1);
    int status;
    bad += waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  }
  slurm_spank_exit(NULL, 0, NULL);
  return bad ? 1 : 0;
}
