/* A cluster as a daemon keeps it: jobs come and go, nodes fail and return, the daemon starts again; and plans on granted hosts. */
#include "check.h"

static stow_topology *topology;
static stow_machine *machine;

static stow_plan *placed(stow_cluster *cluster, const char *line)
{
  stow_job *job = job_of(line);
  stow_plan *plan = NULL;
  GOOD(stow_cluster_place(cluster, job, &plan, &error));
  stow_job_free(job);
  return plan;
}

static uint32_t free_slots(const stow_cluster *cluster, const char *node)
{
  uint32_t slots = 99;
  GOOD(stow_cluster_free_slots(cluster, TEXT(node), &slots, &error));
  return slots;
}

static void jobs(void)
{
  stow_cluster *cluster, *other;
  stow_plan *tried;
  uint64_t numbers[4], number;
  uint32_t cpus[8], count, standing;
  size_t needed;
  char text[16];
  GOOD(stow_cluster_new(machine, &cluster, &error));
  GOOD(stow_cluster_add_nodes(cluster, TEXT("n[0-2]:4"), NULL, &error));
  GOOD(stow_cluster_add_nodes(cluster, TEXT("m"), machine, &error));
  BAD(STOW_REFUSED, "bad-hostlist", stow_cluster_add_nodes(cluster, TEXT("n1:2"), NULL, &error));
  CHECK(stow_cluster_nodes(cluster) == 4 && stow_cluster_nodes(NULL) == 0);
  CHECK(stow_cluster_node_name(cluster, 3, text, sizeof text, &needed) == STOW_OK);
  IS(text, "m");
  CHECK(stow_cluster_node_name(cluster, 4, text, sizeof text, &needed) == STOW_NOT_FOUND);
  GOOD(stow_cluster_remove(cluster, TEXT("m"), &error));
  CHECK(stow_cluster_node_name(cluster, 3, text, sizeof text, &needed) == STOW_NOT_FOUND);

  stow_job *job = job_of("-n 6 --map-by core --bind-to core ./ocean");
  GOOD(stow_cluster_try_place(cluster, job, &tried, &error));
  CHECK(stow_plan_ranks(tried) == 6 && free_slots(cluster, "n0") == 4);
  stow_plan_free(tried);
  stow_job_free(job);
  stow_plan *ocean = placed(cluster, "-n 6 --map-by core --bind-to core ./ocean");
  stow_plan *io = placed(cluster, "-n 2 -H n2:2 --map-by core --bind-to core ./io");
  CHECK(free_slots(cluster, "n0") == 0 && free_slots(cluster, "n1") == 2 && free_slots(cluster, "n2") == 2);
  CHECK(stow_cluster_jobs(cluster, numbers, 4, &needed) == STOW_OK && needed == 2 && numbers[1] == 1);
  CHECK(stow_cluster_job_of(cluster, io, &number) == STOW_OK && number == 1);
  GOOD(stow_cluster_plan(cluster, 0, &tried, &error));
  CHECK(stow_plan_ranks(tried) == 6);
  stow_plan_free(tried);
  BAD(STOW_NOT_FOUND, "not-found", stow_cluster_plan(cluster, 7, &tried, &error));
  GOOD(stow_cluster_free_cpus(cluster, TEXT("n1"), cpus, 8, &needed, &error));
  CHECK(needed == 4 && cpus[0] == 4 && cpus[3] == 7);
  GOOD(stow_cluster_jobs_on(cluster, TEXT("n1"), numbers, 4, &needed, &error));
  CHECK(needed == 1 && numbers[0] == 0);
  GOOD(stow_cluster_slots(cluster, TEXT("n1"), &count, &error));
  CHECK(count == 4);
  GOOD(stow_cluster_procs(cluster, TEXT("n1"), &count, &error));
  CHECK(count == 2);
  BAD(STOW_NOT_FOUND, "not-found", stow_cluster_max_slots(cluster, TEXT("n1"), &count, &error));
  stow_topology *own;
  GOOD(stow_cluster_topology(cluster, TEXT("n1"), &own, &error));
  stow_topology_free(own);
  BAD(STOW_REFUSED, "no-such-host", stow_cluster_free_slots(cluster, TEXT("x"), &count, &error));

  /* A node is drained, another fails. */
  GOOD(stow_cluster_drain(cluster, TEXT("n1"), &error));
  GOOD(stow_cluster_standing(cluster, TEXT("n1"), &standing, &error));
  CHECK(standing == STOW_STANDING_DRAINED);
  CHECK(stow_cluster_lose(cluster, TEXT("n2"), numbers, 0, &needed, NULL) == STOW_TOO_SMALL);
  GOOD(stow_cluster_standing(cluster, TEXT("n2"), &standing, &error));
  CHECK(needed == 1 && standing == STOW_STANDING_UP);
  GOOD(stow_cluster_lose(cluster, TEXT("n2"), numbers, 4, &needed, &error));
  CHECK(needed == 1 && numbers[0] == 1);
  GOOD(stow_cluster_standing(cluster, TEXT("n2"), &standing, &error));
  CHECK(standing == STOW_STANDING_DOWN);
  job = job_of("-n 1 -H n2 ./x");
  BAD(STOW_REFUSED, "node-closed", stow_cluster_place(cluster, job, &tried, &error));
  stow_job_free(job);
  GOOD(stow_cluster_down(cluster, TEXT("n1"), &error));
  GOOD(stow_cluster_up(cluster, TEXT("n[1-2]"), &error));
  BAD(STOW_REFUSED, "node-busy", stow_cluster_remove(cluster, TEXT("n2"), &error));

  /* Why a job waits, and for whom. */
  stow_waiting *waiting;
  job = job_of("-n 9 ./big");
  GOOD(stow_cluster_explain(cluster, job, &waiting, &error));
  IS(stow_waiting_class(waiting), "not-enough-slots");
  CHECK(*stow_waiting_message(waiting) != 0 && strstr(stow_waiting_text(waiting), "it starts when these jobs have ended: 0"));
  CHECK(stow_waiting_jobs(waiting, numbers, 4, &needed) == STOW_OK && needed == 1 && numbers[0] == 0);
  stow_waiting_free(waiting);
  stow_job_free(job);
  job = job_of("-n 99 ./never");
  GOOD(stow_cluster_explain(cluster, job, &waiting, &error));
  CHECK(stow_waiting_jobs(waiting, numbers, 4, &needed) == STOW_NOT_FOUND);
  stow_waiting_free(waiting);
  stow_job_free(job);
  job = job_of("-n 1 ./now");
  BAD(STOW_NOT_FOUND, "not-found", stow_cluster_explain(cluster, job, &waiting, &error));
  stow_job_free(job);

  /* The daemon starts again. */
  uint8_t *bytes;
  CHECK(stow_cluster_to_bytes(cluster, NULL, 0, &needed, NULL) == STOW_TOO_SMALL);
  bytes = malloc(needed);
  GOOD(stow_cluster_to_bytes(cluster, bytes, needed, &needed, &error));
  for (size_t cut = 0; cut < needed; cut += 7)
    BAD(STOW_REFUSED, "bad-cluster", stow_cluster_from_bytes(bytes, cut, machine, &other, &error));
  GOOD(stow_cluster_from_bytes(bytes, needed, machine, &other, &error));
  free(bytes);
  GOOD(stow_cluster_release(other, ocean, &error));
  GOOD(stow_cluster_release_job(other, 1, &error));
  BAD(STOW_REFUSED, "no-such-job", stow_cluster_release_job(other, 1, &error));
  CHECK(free_slots(other, "n0") == 4 && free_slots(cluster, "n0") == 0);
  GOOD(stow_cluster_adopt(other, io, &number, &error));
  CHECK(number == 2 && free_slots(other, "n2") == 2);
  BAD(STOW_REFUSED, "job-collides", stow_cluster_adopt(other, io, &number, &error));
  stow_cluster_free(other);
  GOOD(stow_cluster_clone(cluster, &other, &error));
  GOOD(stow_cluster_release_job(other, 0, &error));
  CHECK(free_slots(other, "n0") == 4 && free_slots(cluster, "n0") == 0);
  stow_cluster_free(other);
  stow_plan_free(ocean);
  stow_plan_free(io);
  stow_cluster_free(cluster);
}

/* A job may use the nodes that its sessions have. */
static void sessions(void)
{
  stow_cluster *cluster;
  stow_session *session;
  stow_plan *plan;
  const char *const none[] = { "nobody" };
  const char *first = "{\"initial\":{\"nodes\":[\"n0\",\"n1\"]}}";
  GOOD(stow_session_new(TEXT(first), &session, &error));
  GOOD(stow_cluster_new(machine, &cluster, &error));
  GOOD(stow_cluster_add_nodes(cluster, TEXT("n[0-3]:4"), NULL, &error));
  stow_job *job = job_of("-n 5 --map-by core ./x");
  GOOD(stow_cluster_place_in_session(cluster, job, session, NULL, 0, NULL, 0, &plan, &error));
  CHECK(stow_plan_nodes(plan) == 2);
  stow_plan_free(plan);
  CHECK(stow_cluster_place_in_session(cluster, job, session, NULL, 0, none, 1, &plan, NULL) == STOW_REFUSED);
  INVALID(stow_cluster_place_in_session(NULL, job, session, NULL, 0, NULL, 0, &plan, &error));
  INVALID(stow_cluster_place_in_session(cluster, NULL, session, NULL, 0, NULL, 0, &plan, &error));
  INVALID(stow_cluster_place_in_session(cluster, job, NULL, NULL, 0, NULL, 0, &plan, &error));
  INVALID(stow_cluster_place_in_session(cluster, job, session, NULL, 0, NULL, 1, &plan, &error));
  INVALID(stow_cluster_place_in_session(cluster, job, session, NULL, 0, NULL, 0, NULL, &error));
  stow_job_free(job);
  stow_session_free(session);
  stow_cluster_free(cluster);
}

/* GPUs that a job holds are not given to the next, also after a restart. */
static void gpus(void)
{
  stow_topology *of_gpus;
  stow_machine *gpu_machine;
  stow_cluster *cluster, *other;
  stow_plan *plan = NULL;
  uint32_t left[4];
  size_t needed;
  uint8_t *bytes;
  GOOD(stow_topology_read(TEXT("builtin:perlmutter-gpu"), &of_gpus, &error));
  GOOD(stow_machine_new(of_gpus, &gpu_machine, &error));
  GOOD(stow_cluster_new(gpu_machine, &cluster, &error));
  GOOD(stow_cluster_add_nodes(cluster, TEXT("a:64"), NULL, &error));
  stow_plan *first = placed(cluster, "-n 3 --map-by gpu ./x");
  GOOD(stow_cluster_free_gpus(cluster, TEXT("a"), left, 4, &needed, &error));
  CHECK(needed == 1 && left[0] == 0);
  CHECK(stow_cluster_to_bytes(cluster, NULL, 0, &needed, NULL) == STOW_TOO_SMALL);
  bytes = malloc(needed);
  GOOD(stow_cluster_to_bytes(cluster, bytes, needed, &needed, &error));
  GOOD(stow_cluster_from_bytes(bytes, needed, gpu_machine, &other, &error));
  free(bytes);
  stow_plan_free(placed(other, "-n 1 --map-by gpu ./x"));
  stow_job *job = job_of("-n 1 --gpus share ./x");
  BAD(STOW_REFUSED, "not-enough-gpus", stow_cluster_place(other, job, &plan, &error));
  stow_job_free(job);
  GOOD(stow_cluster_release_job(other, 0, &error));
  GOOD(stow_cluster_free_gpus(other, TEXT("a"), left, 4, &needed, &error));
  CHECK(needed == 3 && left[0] == 1 && left[2] == 3);
  CHECK(plan == NULL);
  stow_plan_free(first);
  stow_cluster_free(other);
  stow_cluster_free(cluster);
  stow_machine_free(gpu_machine);
  stow_topology_free(of_gpus);
}

static void onto(void)
{
  stow_job *job = job_of("-n 6 -H n[0-1]:4 --map-by core ./x");
  stow_plan *plan, *there;
  char text[512];
  size_t needed;
  GOOD(stow_plan_new(job, machine, &plan, &error));
  GOOD(stow_plan_onto(plan, TEXT("g7,g12"), NULL, &there, &error));
  CHECK(stow_plan_node_name(there, 1, text, sizeof text, &needed) == STOW_OK);
  IS(text, "g12");
  CHECK(stow_plan_ranks(there) == 6);
  GOOD(stow_plan_check(there, &error));
  stow_plan_free(there);
  GOOD(stow_plan_onto(plan, TEXT("g[7-8]"), machine, &there, &error));
  CHECK(stow_plan_nodes(there) == 2);
  stow_plan_free(there);
  there = NULL;
  BAD(STOW_REFUSED, "does-not-fit", stow_plan_onto(plan, TEXT("g7"), NULL, &there, &error));
  INVALID(stow_plan_onto(NULL, TEXT("g7"), NULL, &there, &error));
  INVALID(stow_plan_onto(plan, NULL, 3, NULL, &there, &error));
  INVALID(stow_plan_onto(plan, TEXT("g7"), NULL, NULL, &error));
  CHECK(there == NULL);
  stow_plan_free(plan);
  stow_job_free(job);
}

static void wrong(void)
{
  stow_cluster *cluster, *other = NULL;
  stow_job *job = job_of("-n 1 -H a:4 ./x");
  stow_plan *plan, *more = NULL;
  stow_waiting *waiting = NULL;
  stow_topology *own = NULL;
  uint64_t number = 5;
  uint32_t out = 5;
  size_t needed = 5;
  char text[8];
  uint8_t byte;
  GOOD(stow_cluster_new(machine, &cluster, &error));
  GOOD(stow_cluster_place(cluster, job, &plan, &error));
  INVALID(stow_cluster_try_place(NULL, job, &more, &error));
  INVALID(stow_cluster_try_place(cluster, NULL, &more, &error));
  INVALID(stow_cluster_try_place(cluster, job, NULL, &error));
  INVALID(stow_cluster_release_job(NULL, 0, &error));
  INVALID(stow_cluster_adopt(NULL, plan, &number, &error));
  INVALID(stow_cluster_adopt(cluster, NULL, &number, &error));
  INVALID(stow_cluster_adopt(cluster, plan, NULL, &error));
  CHECK(stow_cluster_jobs(NULL, &number, 1, &needed) == STOW_INVALID && stow_cluster_jobs(cluster, NULL, 1, &needed) == STOW_INVALID);
  CHECK(stow_cluster_jobs(cluster, &number, 1, NULL) == STOW_INVALID && stow_cluster_jobs(cluster, NULL, 0, &needed) == STOW_TOO_SMALL);
  CHECK(stow_cluster_job_of(NULL, plan, &number) == STOW_INVALID && stow_cluster_job_of(cluster, NULL, &number) == STOW_INVALID);
  CHECK(stow_cluster_job_of(cluster, plan, NULL) == STOW_INVALID);
  INVALID(stow_cluster_plan(NULL, 0, &more, &error));
  INVALID(stow_cluster_plan(cluster, 0, NULL, &error));
  INVALID(stow_cluster_clone(NULL, &other, &error));
  INVALID(stow_cluster_clone(cluster, NULL, &error));
  INVALID(stow_cluster_to_bytes(NULL, &byte, 1, &needed, &error));
  INVALID(stow_cluster_from_bytes(NULL, 3, machine, &other, &error));
  INVALID(stow_cluster_from_bytes(&byte, 0, NULL, &other, &error));
  INVALID(stow_cluster_from_bytes(&byte, 0, machine, NULL, &error));
  INVALID(stow_cluster_explain(NULL, job, &waiting, &error));
  INVALID(stow_cluster_explain(cluster, NULL, &waiting, &error));
  INVALID(stow_cluster_explain(cluster, job, NULL, &error));
  INVALID(stow_cluster_add_nodes(NULL, TEXT("b:2"), NULL, &error));
  INVALID(stow_cluster_add_nodes(cluster, NULL, 2, NULL, &error));
  stow_status (*const change[])(stow_cluster *, const char *, size_t, stow_error **) = {
    stow_cluster_remove, stow_cluster_down, stow_cluster_up, stow_cluster_drain
  };
  for (size_t at = 0; at < sizeof change / sizeof *change; at++) {
    INVALID(change[at](NULL, TEXT("a"), &error));
    INVALID(change[at](cluster, NULL, 1, &error));
    INVALID(change[at](cluster, "\xff", 1, &error));
    BAD(STOW_REFUSED, "bad-hostlist", change[at](cluster, TEXT("a[0-"), &error));
    BAD(STOW_REFUSED, "no-such-host", change[at](cluster, TEXT("zz"), &error));
  }
  INVALID(stow_cluster_lose(NULL, TEXT("a"), &number, 1, &needed, &error));
  INVALID(stow_cluster_lose(cluster, NULL, 1, &number, 1, &needed, &error));
  INVALID(stow_cluster_lose(cluster, TEXT("a"), NULL, 1, &needed, &error));
  INVALID(stow_cluster_lose(cluster, TEXT("a"), &number, 1, NULL, &error));
  BAD(STOW_REFUSED, "no-such-host", stow_cluster_lose(cluster, TEXT("zz"), &number, 1, &needed, &error));
  CHECK(stow_cluster_node_name(NULL, 0, text, 8, &needed) == STOW_INVALID);
  stow_status (*const told[])(const stow_cluster *, const char *, size_t, uint32_t *, stow_error **) = {
    stow_cluster_standing, stow_cluster_slots, stow_cluster_max_slots, stow_cluster_free_slots, stow_cluster_procs
  };
  for (size_t at = 0; at < sizeof told / sizeof *told; at++) {
    INVALID(told[at](NULL, TEXT("a"), &out, &error));
    INVALID(told[at](cluster, NULL, 1, &out, &error));
    INVALID(told[at](cluster, TEXT("a"), NULL, &error));
    BAD(STOW_REFUSED, "no-such-host", told[at](cluster, TEXT("zz"), &out, &error));
  }
  INVALID(stow_cluster_free_cpus(NULL, TEXT("a"), &out, 1, &needed, &error));
  INVALID(stow_cluster_free_cpus(cluster, NULL, 1, &out, 1, &needed, &error));
  INVALID(stow_cluster_free_gpus(NULL, TEXT("a"), &out, 1, &needed, &error));
  INVALID(stow_cluster_free_gpus(cluster, NULL, 1, &out, 1, &needed, &error));
  INVALID(stow_cluster_jobs_on(NULL, TEXT("a"), &number, 1, &needed, &error));
  INVALID(stow_cluster_jobs_on(cluster, NULL, 1, &number, 1, &needed, &error));
  INVALID(stow_cluster_topology(NULL, TEXT("a"), &own, &error));
  INVALID(stow_cluster_topology(cluster, TEXT("a"), NULL, &error));
  BAD(STOW_REFUSED, "no-such-host", stow_cluster_topology(cluster, TEXT("zz"), &own, &error));
  IS(stow_waiting_text(NULL), "");
  IS(stow_waiting_class(NULL), "");
  IS(stow_waiting_message(NULL), "");
  CHECK(stow_waiting_jobs(NULL, &number, 1, &needed) == STOW_INVALID);
  CHECK(number == 5 && out == 5 && !more && !other && !waiting && !own);
  stow_waiting_free(NULL);
  stow_plan_free(plan);
  stow_job_free(job);
  stow_cluster_free(cluster);
}

int main(void)
{
  GOOD(stow_topology_read(TEXT("package:2 core:2 pu:2"), &topology, &error));
  GOOD(stow_machine_new(topology, &machine, &error));
  jobs();
  sessions();
  gpus();
  onto();
  wrong();
  stow_machine_free(machine);
  stow_topology_free(topology);
  printf("%d faults\n", faults);
  return faults != 0;
}
