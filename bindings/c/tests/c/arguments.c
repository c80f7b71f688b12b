/* Calls every function with NULL, empty, huge and broken arguments: it returns a status and a class, and writes nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowplan.h>

static int faults;
#define CHECK(what) do { if (!(what)) { printf("line %d: %s\n", __LINE__, #what); faults++; } } while (0)
#define TEXT(text) (text), strlen(text)
#define HUGE_SIZE ((size_t)-1)

static void *const UNTOUCHED = (void *)0x5a5a;

/* A wrong call: it returns this status and an error of this class. */
#define BAD(status, class_, call) do { \
    stow_error *error = UNTOUCHED; \
    CHECK((call) == (status)); \
    CHECK(error != UNTOUCHED && error != NULL); \
    CHECK(error == UNTOUCHED || error == NULL || strcmp(stow_error_class(error), class_) == 0); \
    CHECK(error == UNTOUCHED || error == NULL || *stow_error_message(error) != 0); \
    if (error != UNTOUCHED) stow_error_free(error); \
  } while (0)
#define INVALID(call) BAD(STOW_INVALID, "invalid-argument", call)
#define GOOD(call) do { stow_error *error = UNTOUCHED; CHECK((call) == STOW_OK); CHECK(error == NULL); } while (0)

static stow_topology *topology;
static stow_machine *machine;
static stow_job *job;
static stow_plan *plan;
static stow_cluster *cluster;

static void handles(void)
{
  void *out = UNTOUCHED;
  INVALID(stow_topology_read(NULL, 5, (stow_topology **)&out, &error));
  INVALID(stow_topology_read("core:4", HUGE_SIZE, (stow_topology **)&out, &error));
  INVALID(stow_topology_read("\xff\xfe", 2, (stow_topology **)&out, &error));
  INVALID(stow_topology_read(TEXT("core:4"), NULL, &error));
  BAD(STOW_REFUSED, "bad-topology", stow_topology_read(NULL, 0, (stow_topology **)&out, &error));
  BAD(STOW_REFUSED, "bad-topology", stow_topology_read(TEXT("<xml"), (stow_topology **)&out, &error));
  INVALID(stow_machine_new(NULL, (stow_machine **)&out, &error));
  INVALID(stow_machine_new(topology, NULL, &error));
  INVALID(stow_machine_set_topology(NULL, TEXT("a"), topology, &error));
  INVALID(stow_machine_set_topology(machine, NULL, 1, topology, &error));
  INVALID(stow_machine_set_topology(machine, TEXT("a"), NULL, &error));
  BAD(STOW_REFUSED, "bad-hostlist", stow_machine_set_topology(machine, TEXT("a[0-"), topology, &error));
  INVALID(stow_machine_set_head(NULL, TEXT("a"), &error));
  INVALID(stow_machine_set_head(machine, NULL, 1, &error));
  INVALID(stow_machine_set_head(machine, "\xc3", 1, &error));
  INVALID(stow_machine_set_cpus(NULL, TEXT("0"), &error));
  INVALID(stow_machine_set_cpus(machine, NULL, HUGE_SIZE, &error));
  BAD(STOW_REFUSED, "bad-cpu-list", stow_machine_set_cpus(machine, TEXT("0-"), &error));
  INVALID(stow_topology_restrict(NULL, TEXT("0"), (stow_topology **)&out, &error));
  INVALID(stow_topology_restrict(topology, TEXT("0"), NULL, &error));
  BAD(STOW_REFUSED, "bad-cpu-list", stow_topology_restrict(topology, TEXT("999"), (stow_topology **)&out, &error));
  INVALID(stow_machine_set_node_cpus(NULL, TEXT("a"), TEXT("0"), &error));
  INVALID(stow_machine_set_node_cpus(machine, NULL, 1, TEXT("0"), &error));
  BAD(STOW_REFUSED, "bad-cpu-list", stow_machine_set_node_cpus(machine, TEXT("a"), TEXT("999"), &error));
  INVALID(stow_machine_restrict(NULL, TEXT("a"), TEXT("0"), &error));
  BAD(STOW_REFUSED, "bad-cpu-list", stow_machine_restrict(machine, TEXT("a"), TEXT("999"), &error));
  INVALID(stow_machine_set_devices(machine, TEXT("a"), NULL, 1, &error));
  BAD(STOW_REFUSED, "bad-devices", stow_machine_set_devices(machine, TEXT("a"), TEXT("gpu"), &error));
  INVALID(stow_machine_set_slots(NULL, TEXT("a"), 1, &error));
  BAD(STOW_REFUSED, "bad-hostlist", stow_machine_set_slots(machine, TEXT("a[0-"), 1, &error));
  INVALID(stow_machine_set_max_slots(machine, NULL, 1, 1, &error));
  BAD(STOW_REFUSED, "bad-hostlist", stow_machine_set_max_slots(machine, TEXT(""), 1, &error));
  INVALID(stow_machine_set_taken(machine, TEXT("a"), 1, NULL, 1, &error));
  BAD(STOW_REFUSED, "bad-cpu-list", stow_machine_set_taken(machine, TEXT("a"), 1, TEXT("0-"), &error));
  INVALID(stow_cluster_new(NULL, (stow_cluster **)&out, &error));
  INVALID(stow_cluster_new(machine, NULL, &error));
  INVALID(stow_cluster_place(NULL, job, (stow_plan **)&out, &error));
  INVALID(stow_cluster_place(cluster, NULL, (stow_plan **)&out, &error));
  INVALID(stow_cluster_place(cluster, job, NULL, &error));
  INVALID(stow_cluster_release(NULL, plan, &error));
  INVALID(stow_cluster_release(cluster, NULL, &error));
  BAD(STOW_REFUSED, "no-such-job", stow_cluster_release(cluster, plan, &error));
  CHECK(out == UNTOUCHED);
  /* Without a pointer for the error. */
  CHECK(stow_topology_read(NULL, 5, (stow_topology **)&out, NULL) == STOW_INVALID);
  CHECK(stow_topology_read(TEXT("nope"), (stow_topology **)&out, NULL) == STOW_REFUSED);
}

static void jobs(void)
{
  void *out = UNTOUCHED;
  uint32_t app = 77;
  const char *const good[] = { "-n", "2", "./x" };
  const char *const hole[] = { "-n", NULL, "./x" };
  const char *const latin[] = { "\xe9" };
  const char *const topo[] = { "--topo", "core:4", "./x" };
  INVALID(stow_job_new(NULL, &error));
  INVALID(stow_job_from_words(NULL, 3, (stow_job **)&out, &error));
  INVALID(stow_job_from_words(hole, 3, (stow_job **)&out, &error));
  INVALID(stow_job_from_words(latin, 1, (stow_job **)&out, &error));
  INVALID(stow_job_from_words(good, HUGE_SIZE, (stow_job **)&out, &error));
  INVALID(stow_job_from_words(good, 3, NULL, &error));
  BAD(STOW_REFUSED, "bad-option", stow_job_from_words(topo, 3, (stow_job **)&out, &error));
  INVALID(stow_job_from_json(NULL, 1, (stow_job **)&out, &error));
  INVALID(stow_job_from_json("{}", 2, NULL, &error));
  BAD(STOW_REFUSED, "bad-request", stow_job_from_json("", 0, (stow_job **)&out, &error));
  INVALID(stow_job_from_bytes(NULL, 1, (stow_job **)&out, &error));
  INVALID(stow_job_from_bytes((const uint8_t *)"x", HUGE_SIZE, (stow_job **)&out, &error));
  INVALID(stow_job_from_bytes((const uint8_t *)"x", 1, NULL, &error));
  BAD(STOW_REFUSED, "bad-request", stow_job_from_bytes(NULL, 0, (stow_job **)&out, &error));
  INVALID(stow_job_add_app(NULL, TEXT("./x"), 1, &app, &error));
  INVALID(stow_job_add_app(job, NULL, 1, 1, &app, &error));
  INVALID(stow_job_add_app(job, TEXT("./x"), 1, NULL, &error));
  BAD(STOW_REFUSED, "bad-value", stow_job_add_app(job, TEXT("./x"), 0, &app, &error));
  CHECK(app == 77 && out == UNTOUCHED);
  stow_status (*const set[])(stow_job *, uint32_t, const char *, size_t, stow_error **) = {
    stow_job_set_map_by, stow_job_set_rank_by, stow_job_set_bind_to, stow_job_set_hosts, stow_job_set_hostfile
  };
  for (size_t at = 0; at < sizeof set / sizeof *set; at++) {
    INVALID(set[at](NULL, 0, TEXT("x"), &error));
    INVALID(set[at](job, 0, NULL, 1, &error));
    INVALID(set[at](job, 0, "x", HUGE_SIZE, &error));
    INVALID(set[at](job, 0, "\xff", 1, &error));
    BAD(STOW_NOT_FOUND, "not-found", set[at](job, 1000, TEXT("a"), &error));
  }
  BAD(STOW_REFUSED, "bad-directive", stow_job_set_map_by(job, STOW_JOB, TEXT("croe"), &error));
  BAD(STOW_REFUSED, "bad-directive", stow_job_set_rank_by(job, 0, TEXT(""), &error));
  BAD(STOW_REFUSED, "bad-qualifier", stow_job_set_bind_to(job, 0, TEXT("core:x"), &error));
  BAD(STOW_REFUSED, "app-forbidden-qualifier", stow_job_set_map_by(job, 0, TEXT("slot:oversubscribe"), &error));
  BAD(STOW_REFUSED, "bad-hostlist", stow_job_set_hosts(job, 0, TEXT("a:x"), &error));
  BAD(STOW_NOT_FOUND, "not-found", stow_job_set_hosts(job, STOW_JOB, TEXT("a"), &error));
  INVALID(stow_job_set_file(NULL, TEXT("f"), TEXT("x"), &error));
  INVALID(stow_job_set_file(job, NULL, 1, TEXT("x"), &error));
  INVALID(stow_job_set_file(job, TEXT("f"), NULL, 1, &error));
  size_t needed = 88;
  INVALID(stow_job_to_bytes(NULL, NULL, 0, &needed, &error));
  INVALID(stow_job_to_bytes(job, NULL, 1, &needed, &error));
  INVALID(stow_job_to_bytes(job, NULL, 0, NULL, &error));
  CHECK(needed == 88);
  /* Refused calls changed nothing, and an error gives its words with their position. */
  stow_error *error;
  CHECK(stow_job_set_map_by(job, 0, TEXT("core:oversubscripe"), &error) == STOW_REFUSED);
  size_t start, end;
  CHECK(strcmp(stow_error_text(error), "core:oversubscripe") == 0);
  CHECK(stow_error_span(error, &start, &end) == STOW_OK && start == 5 && end == 18);
  CHECK(strcmp(stow_error_hint(error), "did you mean oversubscribe?") == 0);
  CHECK(stow_error_span(error, NULL, &end) == STOW_INVALID && stow_error_span(error, &start, NULL) == STOW_INVALID);
  stow_error_free(error);
  stow_plan *same;
  GOOD(stow_plan_new(job, machine, &same, &error));
  stow_plan_free(same);
}

static void bytes_of(stow_status (*get)(const stow_plan *, uint8_t *, size_t, size_t *, stow_error **))
{
  size_t needed = 88;
  uint8_t out[4] = { 1, 2, 3, 4 };
  INVALID(get(NULL, NULL, 0, &needed, &error));
  INVALID(get(plan, NULL, 1, &needed, &error));
  INVALID(get(plan, NULL, 0, NULL, &error));
  CHECK(needed == 88);
  stow_error *error = UNTOUCHED;
  CHECK(get(plan, out, 4, &needed, &error) == STOW_TOO_SMALL && error == NULL && needed > 40 && out[0] == 1);
  uint8_t *all = malloc(needed);
  GOOD(get(plan, all, needed, &needed, &error));
  GOOD(get(plan, all, HUGE_SIZE, &needed, &error));
  /* Cut and damaged bytes. */
  stow_plan *read = UNTOUCHED;
  for (size_t cut = 0; cut < needed; cut++)
    BAD(STOW_REFUSED, "bad-plan", stow_plan_from_bytes(all, cut, &read, &error));
  for (size_t at = 0; at < needed; at++) {
    all[at] ^= 0x41;
    BAD(STOW_REFUSED, "bad-plan", stow_plan_from_bytes(all, needed, &read, &error));
    all[at] ^= 0x41;
  }
  CHECK(read == UNTOUCHED);
  GOOD(stow_plan_from_bytes(all, needed, &read, &error));
  CHECK(stow_plan_ranks(read) == stow_plan_ranks(plan));
  stow_plan_free(read);
  free(all);
}

static void plans(void)
{
  void *out = UNTOUCHED;
  size_t needed = 88;
  uint32_t number = 77, ranks[8];
  uint64_t bits[4] = { 1, 2, 3, 4 };
  char text[16] = "untouched";
  INVALID(stow_plan_new(NULL, machine, (stow_plan **)&out, &error));
  INVALID(stow_plan_new(job, NULL, (stow_plan **)&out, &error));
  INVALID(stow_plan_new(job, machine, NULL, &error));
  INVALID(stow_plan_from_bytes(NULL, 9, (stow_plan **)&out, &error));
  INVALID(stow_plan_from_bytes((const uint8_t *)"x", HUGE_SIZE, (stow_plan **)&out, &error));
  INVALID(stow_plan_from_bytes((const uint8_t *)"x", 1, NULL, &error));
  BAD(STOW_REFUSED, "bad-plan", stow_plan_from_bytes(NULL, 0, (stow_plan **)&out, &error));
  CHECK(stow_plan_ranks(NULL) == 0 && stow_plan_nodes(NULL) == 0 && stow_plan_apps(NULL) == 0);
  CHECK(stow_plan_cpusets(NULL) == 0 && stow_slice_ranks(NULL) == 0 && stow_slice_procs(NULL) == 0);
  CHECK(stow_plan_ranks(plan) == 6 && stow_plan_nodes(plan) == 2 && stow_plan_apps(plan) == 1);
  struct { stow_proc proc; uint32_t later[4]; } grown = { .later = { 9, 9, 9, 9 } };
  CHECK(stow_plan_proc(plan, 0, NULL) == STOW_INVALID && stow_plan_proc(NULL, 0, &grown.proc) == STOW_INVALID);
  CHECK(stow_plan_proc(plan, 0, &grown.proc) == STOW_INVALID);
  grown.proc.size = sizeof(stow_proc) - 1;
  CHECK(stow_plan_proc(plan, 0, &grown.proc) == STOW_INVALID);
  grown.proc.size = HUGE_SIZE;
  CHECK(stow_plan_proc(plan, 0, &grown.proc) == STOW_INVALID);
  grown.proc.size = sizeof(stow_proc);
  CHECK(stow_plan_proc(plan, 6, &grown.proc) == STOW_NOT_FOUND && stow_plan_proc(plan, STOW_NONE, &grown.proc) == STOW_NOT_FOUND);
  CHECK(stow_plan_proc(plan, 5, &grown.proc) == STOW_OK && grown.proc.rank == 5 && grown.later[0] == 9);
  grown.proc.size = sizeof grown;
  CHECK(stow_plan_proc(plan, 5, &grown.proc) == STOW_OK && grown.later[0] == 0 && grown.later[3] == 0);
  CHECK(grown.proc.size == sizeof grown && grown.proc.object_kind == STOW_OBJECT_CORE && grown.proc.node == 1);
  CHECK(stow_plan_cpus(NULL, 0, text, 16, &needed) == STOW_INVALID && stow_plan_cpus(plan, 0, NULL, 1, &needed) == STOW_INVALID);
  CHECK(stow_plan_cpus(plan, 0, text, 16, NULL) == STOW_INVALID && stow_plan_cpus(plan, 6, text, 16, &needed) == STOW_NOT_FOUND);
  CHECK(needed == 88 && strcmp(text, "untouched") == 0);
  CHECK(stow_plan_cpus(plan, 0, text, 1, &needed) == STOW_TOO_SMALL && needed == 4 && text[0] == 'u');
  CHECK(stow_plan_cpus(plan, 0, text, 4, &needed) == STOW_OK && strcmp(text, "0-1") == 0);
  CHECK(stow_plan_gpus(NULL, 0, text, 16, &needed) == STOW_INVALID && stow_plan_gpus(plan, 9, text, 16, &needed) == STOW_NOT_FOUND);
  CHECK(stow_plan_gpus(plan, 0, text, 16, &needed) == STOW_OK && needed == 1 && text[0] == 0);
  CHECK(stow_plan_cpu_words(NULL, 0, bits, 4, &needed) == STOW_INVALID && stow_plan_cpu_words(plan, 0, NULL, 1, &needed) == STOW_INVALID);
  CHECK(stow_plan_cpu_words(plan, 9, bits, 4, &needed) == STOW_NOT_FOUND && bits[0] == 1);
  CHECK(stow_plan_cpu_words(plan, 0, bits, 4, &needed) == STOW_OK && needed == 1 && bits[0] == 3 && bits[1] == 2);
  CHECK(stow_plan_node_name(NULL, 0, text, 16, &needed) == STOW_INVALID && stow_plan_node_name(plan, 2, text, 16, &needed) == STOW_NOT_FOUND);
  CHECK(stow_plan_node_name(plan, 1, text, 16, &needed) == STOW_OK && strcmp(text, "b") == 0 && needed == 2);
  CHECK(stow_plan_node_find(NULL, "a", 1, &number) == STOW_INVALID && stow_plan_node_find(plan, NULL, 1, &number) == STOW_INVALID);
  CHECK(stow_plan_node_find(plan, "a", 1, NULL) == STOW_INVALID && stow_plan_node_find(plan, "c", 1, &number) == STOW_NOT_FOUND);
  CHECK(stow_plan_node_find(plan, "", 0, &number) == STOW_NOT_FOUND && stow_plan_node_find(plan, "a", HUGE_SIZE, &number) == STOW_INVALID);
  CHECK(number == 77 && stow_plan_node_find(plan, "b", 1, &number) == STOW_OK && number == 1);
  CHECK(stow_plan_node_ranks(NULL, 0, ranks, 8, &needed) == STOW_INVALID && stow_plan_node_ranks(plan, 2, ranks, 8, &needed) == STOW_NOT_FOUND);
  CHECK(stow_plan_node_ranks(plan, 1, ranks, 8, &needed) == STOW_OK && needed == 2 && ranks[0] == 4);
  CHECK(stow_plan_column(NULL, 0, ranks, 8, &needed) == STOW_INVALID && stow_plan_column(plan, 9, ranks, 8, &needed) == STOW_INVALID);
  CHECK(stow_plan_column(plan, UINT32_MAX, ranks, 8, &needed) == STOW_INVALID && stow_plan_column(plan, 0, NULL, 8, &needed) == STOW_INVALID);
  CHECK(stow_plan_column(plan, STOW_COLUMN_NODE, NULL, 0, &needed) == STOW_TOO_SMALL && needed == 6);
  CHECK(stow_plan_column(plan, STOW_COLUMN_NODE, ranks, 8, &needed) == STOW_OK && ranks[3] == 0 && ranks[4] == 1);
  CHECK(stow_plan_column(plan, STOW_COLUMN_CPUSET, ranks, 8, &needed) == STOW_OK && ranks[0] < stow_plan_cpusets(plan));
  CHECK(stow_plan_cpuset(plan, ranks[0], text, 16, &needed) == STOW_OK && strcmp(text, "0-1") == 0);
  CHECK(stow_plan_cpuset(plan, 0, text, 16, &needed) == STOW_OK && strcmp(text, "") == 0 && needed == 1);
  CHECK(stow_plan_cpuset(plan, UINT32_MAX, text, 16, &needed) == STOW_NOT_FOUND && stow_plan_cpuset(NULL, 0, text, 16, &needed) == STOW_INVALID);
  CHECK(stow_plan_notes(NULL, text, 16, &needed) == STOW_INVALID && stow_plan_notes(plan, text, 16, NULL) == STOW_INVALID);
  CHECK(stow_plan_notes(plan, text, 16, &needed) == STOW_OK && strcmp(text, "") == 0);
  INVALID(stow_plan_task_map(NULL, text, 16, &needed, &error));
  INVALID(stow_plan_task_map(plan, NULL, 16, &needed, &error));
  INVALID(stow_plan_task_map(plan, text, 16, NULL, &error));
  INVALID(stow_plan_check(NULL, &error));
  GOOD(stow_plan_check(plan, &error));
  INVALID(stow_plan_node_slice(NULL, 0, NULL, 0, &needed, &error));
  INVALID(stow_plan_node_slice(plan, 0, NULL, 0, NULL, &error));
  BAD(STOW_NOT_FOUND, "not-found", stow_plan_node_slice(plan, 2, NULL, 0, &needed, &error));
  CHECK(strcmp(stow_object_name(STOW_OBJECT_NONE), "") == 0 && strcmp(stow_object_name(UINT32_MAX), "") == 0);
  CHECK(strcmp(stow_object_name(STOW_OBJECT_L3CACHE), "l3cache") == 0 && stow_api_version() >= STOW_API_VERSION);
  CHECK(out == UNTOUCHED);
}

static void slices(void)
{
  uint8_t bytes[512];
  size_t needed;
  char text[16] = "untouched";
  uint64_t bits[2];
  stow_slice *slice = UNTOUCHED;
  GOOD(stow_plan_node_slice(plan, 1, bytes, sizeof bytes, &needed, &error));
  INVALID(stow_slice_read(NULL, 1, &slice, &error));
  INVALID(stow_slice_read(bytes, HUGE_SIZE, &slice, &error));
  INVALID(stow_slice_read(bytes, needed, NULL, &error));
  for (size_t cut = 0; cut < needed; cut++)
    BAD(STOW_REFUSED, "bad-plan", stow_slice_read(bytes, cut, &slice, &error));
  CHECK(slice == UNTOUCHED);
  GOOD(stow_slice_read(bytes, needed, &slice, &error));
  CHECK(stow_slice_ranks(slice) == 6 && stow_slice_procs(slice) == 2);
  stow_proc proc = { .size = sizeof proc };
  CHECK(stow_slice_proc(NULL, 0, &proc) == STOW_INVALID && stow_slice_proc(slice, 0, NULL) == STOW_INVALID);
  CHECK(stow_slice_proc(slice, 2, &proc) == STOW_NOT_FOUND && stow_slice_proc(slice, 0, &proc) == STOW_OK);
  CHECK(proc.rank == 4 && proc.node == STOW_NONE && proc.local_rank == 0);
  CHECK(stow_slice_node_name(NULL, text, 16, &needed) == STOW_INVALID && stow_slice_node_name(slice, text, 1, &needed) == STOW_TOO_SMALL);
  CHECK(strcmp(text, "untouched") == 0 && stow_slice_node_name(slice, text, 16, &needed) == STOW_OK && strcmp(text, "b") == 0);
  CHECK(stow_slice_cpus(NULL, 0, text, 16, &needed) == STOW_INVALID && stow_slice_cpus(slice, 9, text, 16, &needed) == STOW_NOT_FOUND);
  CHECK(stow_slice_cpus(slice, 1, text, 16, &needed) == STOW_OK && strcmp(text, "2-3") == 0);
  CHECK(stow_slice_gpus(NULL, 0, text, 16, &needed) == STOW_INVALID && stow_slice_gpus(slice, 9, text, 16, &needed) == STOW_NOT_FOUND);
  CHECK(stow_slice_gpus(slice, 1, text, 16, &needed) == STOW_OK && needed == 1 && text[0] == 0);
  CHECK(stow_slice_cpu_words(NULL, 0, bits, 2, &needed) == STOW_INVALID && stow_slice_cpu_words(slice, 9, bits, 2, &needed) == STOW_NOT_FOUND);
  CHECK(stow_slice_cpu_words(slice, 1, bits, 2, &needed) == STOW_OK && bits[0] == 12);
  stow_slice_free(slice);
}

int main(void)
{
  uint32_t app;
  GOOD(stow_topology_read(TEXT("package:2 core:2 pu:2"), &topology, &error));
  GOOD(stow_machine_new(topology, &machine, &error));
  GOOD(stow_cluster_new(machine, &cluster, &error));
  GOOD(stow_job_new(&job, &error));
  GOOD(stow_job_add_app(job, TEXT("./x"), 6, &app, &error));
  GOOD(stow_job_set_hosts(job, app, TEXT("a:4,b:4"), &error));
  GOOD(stow_job_set_map_by(job, app, TEXT("core"), &error));
  GOOD(stow_job_set_bind_to(job, STOW_JOB, TEXT("core"), &error));
  GOOD(stow_job_set_bind_to(job, app, TEXT("core"), &error));
  GOOD(stow_plan_new(job, machine, &plan, &error));
  handles();
  jobs();
  plans();
  bytes_of(stow_plan_to_bytes);
  bytes_of(stow_plan_to_broadcast);
  slices();
  CHECK(strcmp(stow_error_class(NULL), "") == 0 && strcmp(stow_error_message(NULL), "") == 0);
  CHECK(strcmp(stow_error_hint(NULL), "") == 0 && strcmp(stow_error_text(NULL), "") == 0);
  CHECK(strcmp(stow_error_help(NULL), "") == 0 && strcmp(stow_error_docs(NULL), "") == 0 && stow_error_number(NULL) == 0);
  CHECK(stow_error_app(NULL, NULL) == STOW_INVALID);
  size_t start = 88, end = 88;
  CHECK(stow_error_span(NULL, &start, &end) == STOW_INVALID && start == 88);
  stow_error *plain;
  CHECK(stow_topology_read(NULL, 1, &topology, &plain) == STOW_INVALID);
  CHECK(stow_error_span(plain, &start, &end) == STOW_NOT_FOUND && start == 88 && end == 88);
  stow_error_free(plain);
  stow_topology_free(NULL);
  stow_machine_free(NULL);
  stow_job_free(NULL);
  stow_plan_free(NULL);
  stow_slice_free(NULL);
  stow_cluster_free(NULL);
  stow_error_free(NULL);
  stow_topology_free(topology);
  stow_machine_free(machine);
  stow_job_free(job);
  stow_plan_free(plan);
  stow_cluster_free(cluster);
  printf("%d faults\n", faults);
  return faults != 0;
}
