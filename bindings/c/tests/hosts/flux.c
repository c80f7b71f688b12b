/* Calls the Flux plug-in as a shell would: first taskmap.stowplan, then task.exec in a child for each rank.
 *
 *   host VALUE RANK-BY BIND-TO CORES NODE TASKS [NODE TASKS ...]     "-": not given. The topology is on standard input.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FLUX_SHELL_PLUGIN_NAME "host"
#include <flux/shell.h>

static flux_plugin_f taskmap, task_exec;
static void *kept;
static flux_free_f free_kept;
static char xml[1 << 20], **words;
static int count, total, rank;

/* The text of a key; NULL for "-". */
static const char *text_of(const char *key, int node)
{
  static const struct { const char *key; int word; } known[] = { { "value", 1 }, { "rank-by", 2 }, { "bind-to", 3 }, { "cores", 4 } };
  const char *found = strcmp(key, "name") == 0 ? words[5 + 2 * node] : "-";
  for (size_t at = 0; at < sizeof known / sizeof *known; at++)
    if (strcmp(key, known[at].key) == 0)
      found = words[known[at].word];
  return strcmp(found, "-") == 0 ? NULL : found;
}

static int number_of(const char *key, int node)
{
  if (strcmp(key, "size") == 0)
    return (count - 5) / 2;
  if (strcmp(key, "rank") == 0)
    return rank;
  return node < 0 ? total : atoi(words[6 + 2 * node]);
}

/* Reads formats in the form of jansson: {s:i s?s s:{s:s}}. */
static int unpack(int node, const char *format, va_list outs)
{
  for (const char *at = format; *at; at++) {
    if (*at != 's' || (at[1] != ':' && at[1] != '?'))
      continue;
    const char *key = va_arg(outs, const char *);
    int needed = at[1] == ':';
    at += 2;
    if (*at == 'i')
      *va_arg(outs, int *) = number_of(key, node);
    if (*at != 's')
      continue;
    const char **out = va_arg(outs, const char **), *text = text_of(key, node);
    if (text)
      *out = text;
    else if (needed)
      return -1;
  }
  return 0;
}

#define UNPACK(node) \
  va_list outs; \
  va_start(outs, format); \
  int done = unpack(node, format, outs); \
  va_end(outs); \
  return done

int flux_shell_info_unpack(flux_shell_t *shell, const char *format, ...) { (void)shell; UNPACK(-1); }
int flux_shell_rank_info_unpack(flux_shell_t *shell, int node, const char *format, ...) { (void)shell; UNPACK(node); }
int flux_shell_getopt_unpack(flux_shell_t *shell, const char *name, const char *format, ...) { (void)shell; (void)name; UNPACK(-1); }
int flux_shell_task_info_unpack(flux_shell_task_t *task, const char *format, ...) { (void)task; UNPACK(-1); }
int flux_plugin_arg_unpack(flux_plugin_arg_t *args, int flags, const char *format, ...) { (void)args; (void)flags; UNPACK(-1); }

int flux_plugin_arg_pack(flux_plugin_arg_t *args, int flags, const char *format, ...)
{
  (void)args;
  va_list values;
  va_start(values, format);
  const char *key = va_arg(values, const char *);
  printf("%s %s\n", key, va_arg(values, const char *));
  va_end(values);
  return flags == FLUX_PLUGIN_ARG_OUT && strcmp(format, "{s:s}") == 0 ? 0 : -1;
}

int flux_plugin_add_handler(flux_plugin_t *plugin, const char *topic, flux_plugin_f handler, void *data)
{
  (void)plugin;
  (void)data;
  *(strcmp(topic, "task.exec") == 0 ? &task_exec : &taskmap) = handler;
  return strcmp(topic, "task.exec") == 0 || strcmp(topic, "taskmap.stowplan") == 0 ? 0 : -1;
}

int flux_plugin_aux_set(flux_plugin_t *plugin, const char *key, void *value, flux_free_f free_value)
{
  (void)plugin;
  (void)key;
  kept = value;
  free_kept = free_value;
  return 0;
}

void *flux_plugin_aux_get(flux_plugin_t *plugin, const char *key) { (void)plugin; (void)key; return kept; }
flux_shell_t *flux_plugin_get_shell(flux_plugin_t *plugin) { (void)plugin; return NULL; }
flux_shell_task_t *flux_shell_current_task(flux_shell_t *shell) { (void)shell; return NULL; }

int flux_shell_get_hwloc_xml(flux_shell_t *shell, const char **out)
{
  (void)shell;
  *out = xml;
  return 0;
}

void flux_shell_log(const char *component, int level, const char *file, int line, const char *format, ...)
{
  (void)file;
  (void)line;
  va_list values;
  va_start(values, format);
  printf("%s %d: ", component, level);
  vprintf(format, values);
  putchar('\n');
  va_end(values);
}

/* Replaces the function of the C library, because the test asks for more cpus than this machine has. */
int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
  printf("rank %d:", rank);
  for (size_t cpu = 0; pid == 0 && cpu < size * 8; cpu++)
    if (CPU_ISSET_S(cpu, size, set))
      printf(" %zu", cpu);
  putchar('\n');
  return 0;
}

int main(int given, char *line[])
{
  setvbuf(stdout, NULL, _IOLBF, 0);
  count = given;
  words = line;
  xml[fread(xml, 1, sizeof xml - 1, stdin)] = 0;
  for (int node = 0; node < (count - 5) / 2; node++)
    total += atoi(words[6 + 2 * node]);
  if (count < 7 || flux_plugin_init(NULL) < 0)
    return 2;
  int bad = taskmap(NULL, "taskmap.stowplan", NULL, NULL) < 0;
  for (rank = 0; !bad && rank < total; rank++) {
    pid_t child = fork();
    if (child == 0)
      _exit(task_exec(NULL, "task.exec", NULL, NULL) == 0 ? 0 : 1);
    int status;
    bad |= waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  }
  if (kept)
    free_kept(kept);
  return bad;
}
