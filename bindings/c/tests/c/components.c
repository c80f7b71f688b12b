/* Mapping components of a launcher's own: they look, place, pass and refuse, on machines, clusters and in planners. */
#include "check.h"

static stow_topology *topology;
static stow_machine *machine;

/* What a component remembers. */
struct state { unsigned looks, passes; };

/* All processes on the first node, if it has room for them. */
static stow_answer first_node(void *data, stow_asked *asked)
{
  struct state *state = data;
  uint32_t procs = stow_asked_procs(asked), nodes = 0;
  state->looks++;
  for (uint32_t room = 0; room < stow_asked_rooms(asked); room++) nodes += stow_asked_nodes(asked, room);
  if (stow_asked_avail(asked, 0) < procs) {
    state->passes++;
    return STOW_ANSWER_PASS;
  }
  CHECK(stow_asked_app(asked) == 0 && stow_asked_slots(asked, 0) == 4 && stow_asked_objects(asked, 0, STOW_OBJECT_CORE) == 4);
  CHECK(stow_asked_used(asked, 0) + stow_asked_free_hwthreads(asked, 0) == 4 && stow_asked_objects(asked, 0, 99) == 0);
  CHECK(stow_asked_nodes(asked, 99) == 0 && stow_asked_avail(asked, 99) == 0 && stow_asked_slots(asked, 99) == 0);
  IS(stow_asked_program(asked), "./x");
  CHECK(*stow_asked_map_by(asked) != 0);
  char name[8];
  size_t needed;
  CHECK(stow_asked_name(asked, 0, 0, name, sizeof name, &needed) == STOW_OK);
  IS(name, "a");
  CHECK(stow_asked_name(asked, 0, 99, name, sizeof name, &needed) == STOW_NOT_FOUND);
  CHECK(stow_asked_attribute(asked, 99, name, sizeof name, &needed) == STOW_NOT_FOUND);
  CHECK(stow_asked_share(asked, 1, procs) == STOW_OK && (nodes == 1 || stow_asked_share(asked, nodes - 1, 0) == STOW_OK));
  return STOW_ANSWER_TAKE;
}

/* From the last core down. */
static stow_answer downwards(void *data, stow_asked *asked, uint32_t procs, uint32_t *objects)
{
  (void)data;
  uint32_t cores = stow_asked_objects(asked, 0, STOW_OBJECT_CORE);
  CHECK(stow_asked_rooms(asked) == 1 && stow_asked_nodes(asked, 0) == 1);
  for (uint32_t at = 0; at < procs; at++) objects[at] = cores - 1 - at;
  return STOW_ANSWER_TAKE;
}

static stow_answer closed(void *data, stow_asked *asked)
{
  (void)data;
  CHECK(stow_asked_refuse(asked, TEXT("no jobs tonight")) == STOW_OK);
  return STOW_ANSWER_REFUSE;
}

/* An answer that does not cover the nodes. */
static stow_answer wrong(void *data, stow_asked *asked)
{
  (void)data;
  CHECK(stow_asked_share(asked, 77, 1) == STOW_OK);
  return STOW_ANSWER_TAKE;
}

/* No constant. */
static stow_answer odd(void *data, stow_asked *asked)
{
  (void)data;
  (void)asked;
  return 7;
}

static void looks_and_passes(void)
{
  struct state state = { 0, 0 };
  stow_components *components;
  stow_plan *plan, *again;
  GOOD(stow_components_new(&components, &error));
  GOOD(stow_components_add(components, TEXT("first-node"), 99, NULL, 0, first_node, STOW_OBJECT_CORE, downwards, &state, &error));
  stow_job *few = job_of("-n 2 -H a:4,b:4 --map-by node ./x"), *many = job_of("-n 8 -H a:4,b:4 --map-by node ./x");
  GOOD(stow_components_place(components, few, machine, &plan, &error));
  uint32_t nodes[2], objects[2];
  size_t needed;
  CHECK(stow_plan_column(plan, STOW_COLUMN_NODE, nodes, 2, &needed) == STOW_OK && nodes[0] == 0 && nodes[1] == 0);
  CHECK(stow_plan_column(plan, STOW_COLUMN_OBJECT, objects, 2, &needed) == STOW_OK && objects[0] == 3 && objects[1] == 2);
  CHECK(state.looks == 1 && state.passes == 0);
  stow_plan_free(plan);
  GOOD(stow_components_place(components, many, machine, &plan, &error));
  GOOD(stow_plan_new(many, machine, &again, &error));
  CHECK(state.looks == 2 && state.passes == 1 && stow_plan_ranks(plan) == 8 && stow_plan_ranks(again) == 8);
  stow_plan_free(plan);
  stow_plan_free(again);

  stow_cluster *cluster;
  GOOD(stow_cluster_new(machine, &cluster, &error));
  GOOD(stow_components_place_in(components, cluster, few, &plan, &error));
  CHECK(state.looks == 3 && stow_plan_ranks(plan) == 2);
  stow_plan_free(plan);
  stow_planner *planner;
  GOOD(stow_components_planner(components, few, machine, &planner, &error));
  stow_components_free(components);
  GOOD(stow_planner_plan(planner, &plan, &error));
  CHECK(state.looks >= 4 && stow_plan_ranks(plan) == 2);
  stow_plan_free(plan);
  stow_planner_free(planner);
  stow_cluster_free(cluster);
  stow_job_free(few);
  stow_job_free(many);
}

/* The message of a refusal by one component. */
static void refused_by(stow_count count, const char *part)
{
  stow_components *components;
  stow_plan *plan = NULL;
  stow_error *error = NULL;
  stow_job *job = job_of("-n 2 -H a:4,b:4 ./x");
  GOOD(stow_components_new(&components, &error));
  GOOD(stow_components_add(components, TEXT("mine"), 101, NULL, 0, count, STOW_OBJECT_NONE, NULL, NULL, &error));
  CHECK(stow_components_place(components, job, machine, &plan, &error) == STOW_REFUSED && plan == NULL);
  IS(stow_error_class(error), "failed-map");
  if (!strstr(stow_error_message(error), part)) {
    printf("%s is not in: %s\n", part, stow_error_message(error));
    faults++;
  }
  stow_error_free(error);
  stow_job_free(job);
  stow_components_free(components);
}

static void words(void)
{
  struct state state = { 0, 0 };
  const char *const line[] = { "-n", "2", "-H", "a:4,b:4", "--map-by", "one-node", "./x" };
  stow_components *components;
  stow_job *job;
  stow_plan *plan;
  GOOD(stow_components_new(&components, &error));
  BAD(STOW_REFUSED, "bad-value", stow_components_add(components, TEXT("ppr"), 99, NULL, 0, odd, 0, NULL, NULL, &error));
  BAD(STOW_REFUSED, "bad-value", stow_components_add(components, TEXT("mine"), 99, TEXT("core"), odd, 0, NULL, NULL, &error));
  GOOD(stow_components_add(components, TEXT("mine"), 99, TEXT("one-node"), first_node, 0, NULL, &state, &error));
  BAD(STOW_REFUSED, "bad-directive", stow_job_from_words(line, 7, &job, &error));
  GOOD(stow_components_job(components, line, 7, &job, &error));
  INVALID(stow_job_set_map_by(job, 0, TEXT("core"), &error));
  GOOD(stow_components_place(components, job, machine, &plan, &error));
  CHECK(state.looks == 1);
  stow_plan_free(plan);
  INVALID(stow_components_new(NULL, &error));
  INVALID(stow_components_add(NULL, TEXT("x"), 1, NULL, 0, odd, 0, NULL, NULL, &error));
  INVALID(stow_components_add(components, TEXT("x"), 1, NULL, 0, NULL, 0, NULL, NULL, &error));
  INVALID(stow_components_add(components, TEXT("x"), 256, NULL, 0, odd, 0, NULL, NULL, &error));
  INVALID(stow_components_add(components, TEXT("x"), 1, NULL, 0, odd, 99, downwards, NULL, &error));
  INVALID(stow_components_job(NULL, line, 7, &job, &error));
  INVALID(stow_components_place(NULL, job, machine, &plan, &error));
  INVALID(stow_components_place_in(components, NULL, job, &plan, &error));
  stow_planner *planner;
  INVALID(stow_components_planner(components, NULL, machine, &planner, &error));
  CHECK(stow_asked_app(NULL) == 0 && stow_asked_procs(NULL) == 0 && stow_asked_rooms(NULL) == 0 && stow_asked_nodes(NULL, 0) == 0);
  CHECK(stow_asked_share(NULL, 1, 1) == STOW_INVALID && stow_asked_refuse(NULL, TEXT("x")) == STOW_INVALID);
  stow_job_free(job);
  stow_components_free(components);
  stow_components_free(NULL);
}

int main(void)
{
  GOOD(stow_topology_read(TEXT("core:4 pu:1"), &topology, &error));
  GOOD(stow_machine_new(topology, &machine, &error));
  looks_and_passes();
  refused_by(closed, "no jobs tonight");
  refused_by(wrong, "mine");
  refused_by(odd, "it answered 7");
  words();
  stow_machine_free(machine);
  stow_topology_free(topology);
  printf("%d faults\n", faults);
  return faults != 0;
}
