/* What a plan answers to people and daemons, many jobs, planners, sessions and task maps: right answers, and wrong arguments. */
#include "check.h"

#define STARTS(text, wanted) CHECK(strncmp(text, wanted, strlen(wanted)) == 0)

static stow_topology *topology;
static stow_machine *machine;

/* The plan of a command line without quotes. */
static stow_plan *plan_of(const stow_machine *on, const char *line)
{
  stow_job *job = job_of(line);
  stow_plan *plan = NULL;
  GOOD(stow_plan_new(job, on, &plan, &error));
  stow_job_free(job);
  return plan;
}

static void explained(void)
{
  stow_plan *plan = plan_of(machine, "-n 6 -H a:4,b:4 --map-by core ./x");
  stow_explanation *told = NULL;
  GOOD(stow_plan_explain(plan, 1, &told, &error));
  CHECK(strlen(stow_explanation_text(told)) > 40 && stow_explanation_sentences(told) > 2);
  STARTS(stow_explanation_sentence(told, 0), "--map-by core: asked");
  IS(stow_explanation_sentence(told, 1000), "");
  CHECK(stow_explanation_words(told) == 3);
  IS(stow_explanation_option(told, 0), "--map-by");
  IS(stow_explanation_value(told, 0), "core");
  IS(stow_explanation_from(told, 1), "default");
  CHECK(*stow_explanation_rule(told, 1) != 0 && *stow_explanation_rule(told, 0) == 0);
  CHECK(*stow_explanation_instead(told) == '-' && *stow_explanation_instead_node(told) != 0);
  CHECK(stow_explanation_instead_local_rank(told) < 6 && stow_explanation_instead_cpus(told) != NULL);
  stow_explanation_free(told);
  BAD(STOW_NOT_FOUND, "not-found", stow_plan_explain(plan, 6, &told, &error));
  INVALID(stow_plan_explain(NULL, 0, &told, &error));
  INVALID(stow_plan_explain(plan, 0, NULL, &error));
  uint8_t bytes[4096];
  size_t needed;
  stow_plan *there;
  GOOD(stow_plan_to_broadcast(plan, bytes, sizeof bytes, &needed, &error));
  GOOD(stow_plan_from_bytes(bytes, needed, &there, &error));
  BAD(STOW_REFUSED, "bad-plan", stow_plan_explain(there, 0, &told, &error));
  uint32_t free_slots = 77;
  CHECK(stow_plan_node_slots_free(there, 0, &free_slots) == STOW_NOT_FOUND && free_slots == 77);
  stow_topology *own;
  BAD(STOW_NOT_FOUND, "not-found", stow_plan_node_topology(there, 0, &own, &error));
  stow_plan_free(there);
  CHECK(stow_plan_node_slots_free(plan, 1, &free_slots) == STOW_OK && free_slots == 2);
  CHECK(stow_plan_node_slots_free(plan, 2, &free_slots) == STOW_NOT_FOUND && stow_plan_node_slots_free(NULL, 0, &free_slots) == STOW_INVALID);
  CHECK(stow_plan_node_slots_free(plan, 0, NULL) == STOW_INVALID);
  GOOD(stow_plan_node_topology(plan, 0, &own, &error));
  INVALID(stow_plan_node_topology(NULL, 0, &own, &error));
  INVALID(stow_plan_node_topology(plan, 0, NULL, &error));
  stow_machine *again;
  GOOD(stow_machine_new(own, &again, &error));
  stow_plan *same = plan_of(again, "-n 6 -H a:4,b:4 --map-by core ./x");
  stow_machine_free(again);
  stow_topology_free(own);
  stow_difference *none;
  GOOD(stow_plan_diff(plan, same, &none, &error));
  CHECK(stow_difference_same(none) == 6 && stow_difference_moved(none) == 0);
  stow_difference_free(none);
  stow_plan_free(same);
  char text[128];
  CHECK(stow_plan_summary(plan, text, sizeof text, &needed) == STOW_OK && needed == strlen(text) + 1);
  STARTS(text, "6 ranks on 2 nodes");
  CHECK(stow_plan_summary(NULL, text, sizeof text, &needed) == STOW_INVALID && stow_plan_summary(plan, text, 4, &needed) == STOW_TOO_SMALL);
  CHECK(stow_plan_picture(plan, NULL, 0, &needed) == STOW_TOO_SMALL && needed > 200 && stow_plan_picture(NULL, NULL, 0, &needed) == STOW_INVALID);
  char *picture = malloc(needed);
  CHECK(stow_plan_picture(plan, picture, needed, &needed) == STOW_OK);
  STARTS(picture, "<svg");
  free(picture);
  CHECK(stow_plan_html(plan, NULL, 0, &needed) == STOW_TOO_SMALL && stow_plan_html(NULL, NULL, 0, &needed) == STOW_INVALID);
  stow_plan_free(plan);
}

/* Two threads on four cpus: side by side, or apart. The places of the ranks are the same. */
static stow_plan *threaded(const char *how)
{
  const char *const words[] = { "-n", "1", "-H", "a:1", "--map-by", "package", "--bind-to", "package", "./x" };
  stow_job *job;
  stow_plan *plan;
  GOOD(stow_job_from_words(words, sizeof words / sizeof *words, &job, &error));
  GOOD(stow_job_set_env(job, STOW_JOB, "OMP_NUM_THREADS", 15, "2", 1, &error));
  GOOD(stow_job_set_env(job, STOW_JOB, "OMP_PROC_BIND", 13, how, strlen(how), &error));
  GOOD(stow_plan_new(job, machine, &plan, &error));
  stow_job_free(job);
  return plan;
}

static void other_threads(void)
{
  stow_plan *close = threaded("close");
  stow_plan *spread = threaded("spread");
  stow_difference *told;
  GOOD(stow_plan_diff(close, spread, &told, &error));
  CHECK(stow_difference_moved_threads(told) == 1 && stow_difference_moved(told) == 1 && stow_difference_same(told) == 0);
  CHECK(stow_difference_moved_threads(NULL) == 0);
  stow_difference_free(told);
  GOOD(stow_plan_diff(close, close, &told, &error));
  CHECK(stow_difference_moved_threads(told) == 0 && stow_difference_same(told) == 1);
  stow_difference_free(told);
  stow_plan_free(close);
  stow_plan_free(spread);
}

static void differ(void)
{
  stow_plan *by_slot = plan_of(machine, "-n 4 -H a:2,b:2 --map-by slot ./x");
  stow_plan *by_node = plan_of(machine, "-n 4 -H a:2,b:2 --map-by node ./x");
  stow_difference *told;
  GOOD(stow_plan_diff(by_slot, by_node, &told, &error));
  INVALID(stow_plan_diff(NULL, by_node, &told, &error));
  INVALID(stow_plan_diff(by_slot, NULL, &told, &error));
  INVALID(stow_plan_diff(by_slot, by_node, NULL, &error));
  CHECK(stow_difference_same(told) == 2 && stow_difference_moved(told) == 2 && stow_difference_moved_node(told) == 2);
  CHECK(stow_difference_moved_cpus(told) == 0 && stow_difference_moved_local_rank(told) == 0 && stow_difference_moved_gpus(told) == 0);
  CHECK(stow_difference_gone(told) == 0 && stow_difference_added(told) == 0 && stow_difference_reordered(told) == 1);
  IS(stow_difference_cause(told), "--map-by");
  IS(stow_difference_cause_before(told), "slot");
  IS(stow_difference_cause_after(told), "node");
  CHECK(stow_difference_cause_app(told) == 0 && *stow_difference_text(told) != 0);
  size_t needed;
  CHECK(stow_difference_picture(told, NULL, 0, &needed) == STOW_TOO_SMALL && needed > 200);
  CHECK(stow_difference_picture(NULL, NULL, 0, &needed) == STOW_INVALID && stow_difference_html(NULL, NULL, 0, &needed) == STOW_INVALID);
  CHECK(stow_difference_html(told, NULL, 0, &needed) == STOW_TOO_SMALL && needed > 200);
  stow_difference_free(told);
  stow_difference_free(NULL);
  stow_plan_free(by_slot);
  stow_plan_free(by_node);
  other_threads();
}

static void refused(void)
{
  const char *const line[] = { "-n", "9", "-H", "a:4,b:4", "./x" };
  const char *const fits[] = { "-n", "8", "-H", "a:4,b:4", "./x" };
  const char *const wrong[] = { "--nonsense" };
  stow_refused *told;
  GOOD(stow_refused_explain(line, 5, machine, &told, &error));
  IS(stow_refused_class(told), "not-enough-slots");
  IS(stow_refused_missing(told), "slots");
  CHECK(*stow_refused_message(told) != 0 && *stow_refused_text(told) != 0);
  uint64_t asked = 0, there = 0;
  CHECK(stow_refused_asked(told, &asked) == STOW_OK && asked == 9 && stow_refused_there(told, &there) == STOW_OK && there == 8);
  CHECK(stow_refused_asked(NULL, &asked) == STOW_INVALID && stow_refused_there(told, NULL) == STOW_INVALID);
  CHECK(stow_refused_nearest(told) > 0 && stow_refused_words(told, 0) >= 5);
  CHECK(*stow_refused_change(told, 0) == '-' && *stow_refused_word(told, 0, 0) != 0);
  IS(stow_refused_change(told, 1000), "");
  IS(stow_refused_word(told, 0, 1000), "");
  CHECK(stow_refused_words(told, 1000) == 0 && stow_refused_nearest(NULL) == 0);
  stow_refused_free(told);
  stow_refused_free(NULL);
  BAD(STOW_NOT_FOUND, "not-found", stow_refused_explain(fits, 5, machine, &told, &error));
  BAD(STOW_REFUSED, "bad-option", stow_refused_explain(wrong, 1, machine, &told, &error));
  INVALID(stow_refused_explain(NULL, 5, machine, &told, &error));
  INVALID(stow_refused_explain(line, 5, NULL, &told, &error));
  INVALID(stow_refused_explain(line, 5, machine, NULL, &error));
}

static void columns(void)
{
  stow_topology *with_gpus;
  stow_machine *frontier;
  GOOD(stow_topology_read(TEXT("builtin:frontier"), &with_gpus, &error));
  GOOD(stow_machine_new(with_gpus, &frontier, &error));
  stow_plan *plan = plan_of(frontier, "-n 3 -H a:8 --map-by gpu ./x");
  uint32_t numbers[4], nodes[3], gpus[3], *outs[9] = { [STOW_COLUMN_NODE] = nodes, [STOW_COLUMN_GPUS] = gpus };
  size_t needed = 0;
  CHECK(stow_plan_columns(plan, outs, 9, 3, &needed) == STOW_OK && needed == 3);
  CHECK(nodes[0] == 0 && nodes[2] == 0 && gpus[0] == 1 && gpus[2] == 3);
  CHECK(stow_plan_columns(plan, outs, 9, 2, &needed) == STOW_TOO_SMALL && stow_plan_columns(plan, NULL, 0, 3, &needed) == STOW_OK);
  CHECK(stow_plan_columns(NULL, outs, 9, 3, &needed) == STOW_INVALID && stow_plan_columns(plan, NULL, 9, 3, &needed) == STOW_INVALID);
  CHECK(stow_plan_columns(plan, outs, 10, 3, &needed) == STOW_INVALID && stow_plan_columns(plan, outs, 9, 3, NULL) == STOW_INVALID);
  CHECK(stow_plan_column(plan, STOW_COLUMN_GPUS, numbers, 4, &needed) == STOW_OK && numbers[1] == 2);
  CHECK(stow_plan_gpusets(plan) == 4 && stow_plan_gpusets(NULL) == 0);
  char text[16];
  CHECK(stow_plan_gpuset(plan, 1, numbers, 4, &needed) == STOW_OK && needed == 1);
  CHECK(stow_plan_gpus(plan, 0, text, sizeof text, &needed) == STOW_OK && (uint32_t)atoi(text) == numbers[0]);
  CHECK(stow_plan_gpuset(plan, 0, numbers, 4, &needed) == STOW_OK && needed == 0 && stow_plan_gpuset(plan, 9, numbers, 4, &needed) == STOW_NOT_FOUND);
  CHECK(stow_plan_gpu_numbers(plan, 0, numbers, 4, &needed) == STOW_OK && needed == 1 && stow_plan_gpu_numbers(plan, 3, numbers, 4, &needed) == STOW_NOT_FOUND);
  uint8_t bytes[2048];
  stow_slice *slice;
  GOOD(stow_plan_node_slice(plan, 0, bytes, sizeof bytes, &needed, &error));
  GOOD(stow_slice_read(bytes, needed, &slice, &error));
  uint32_t own[4];
  CHECK(stow_slice_gpu_numbers(slice, 0, own, 4, &needed) == STOW_OK && needed == 1 && own[0] == numbers[0]);
  CHECK(stow_slice_gpu_numbers(slice, 3, own, 4, &needed) == STOW_NOT_FOUND && stow_slice_gpu_numbers(NULL, 0, own, 4, &needed) == STOW_INVALID);
  stow_slice_free(slice);
  stow_plan_free(plan);
  stow_machine_free(frontier);
  stow_topology_free(with_gpus);
}

static void network_cards(void)
{
  stow_plan *first = plan_of(machine, "-n 2 -H a:4 --devices nic=package --map-by device=nic0:shared --bind-to none ./x");
  stow_plan *second = plan_of(machine, "-n 2 -H a:4 --devices nic=package --map-by device=nic1:shared --bind-to none ./x");
  char text[16];
  size_t needed = 0;
  CHECK(stow_plan_nics(first, 1, text, sizeof text, &needed) == STOW_OK && needed == 5);
  IS(text, "nic0");
  CHECK(stow_plan_nics(first, 2, text, sizeof text, &needed) == STOW_NOT_FOUND && stow_plan_nics(NULL, 0, text, 16, &needed) == STOW_INVALID);
  stow_difference *told;
  GOOD(stow_plan_diff(first, second, &told, &error));
  CHECK(stow_difference_moved_nics(told) == 2 && stow_difference_moved(told) == 2 && stow_difference_moved_cpus(told) == 0);
  CHECK(stow_difference_moved_nics(NULL) == 0);
  stow_difference_free(told);
  uint8_t bytes[2048];
  stow_slice *slice;
  GOOD(stow_plan_node_slice(second, 0, bytes, sizeof bytes, &needed, &error));
  GOOD(stow_slice_read(bytes, needed, &slice, &error));
  CHECK(stow_slice_nics(slice, 0, text, sizeof text, &needed) == STOW_OK);
  IS(text, "nic1");
  CHECK(stow_slice_nics(slice, 2, text, sizeof text, &needed) == STOW_NOT_FOUND && stow_slice_nics(NULL, 0, text, 16, &needed) == STOW_INVALID);
  stow_slice_free(slice);
  stow_plan *without = plan_of(machine, "-n 1 -H a:4 ./x");
  CHECK(stow_plan_nics(without, 0, text, sizeof text, &needed) == STOW_OK && needed == 1 && text[0] == 0);
  stow_plan_free(without);
  stow_plan_free(first);
  stow_plan_free(second);
}

static void many(void)
{
  const stow_job *jobs[3] = { job_of("-n 4 -H a:4 ./x"), job_of("-n 5 -H a:4 ./x"), job_of("-n 2 -H a:4 ./x") };
  stow_plan *plans[3];
  stow_error *errors[3], *error;
  size_t failed = 77;
  CHECK(stow_place_many(jobs, 3, machine, plans, errors, &failed, &error) == STOW_REFUSED && failed == 1);
  STARTS(stow_error_message(error), "job 1: ");
  IS(stow_error_class(error), "not-enough-slots");
  CHECK(stow_plan_ranks(plans[0]) == 4 && plans[1] == NULL && stow_plan_ranks(plans[2]) == 2);
  CHECK(errors[0] == NULL && errors[2] == NULL);
  IS(stow_error_class(errors[1]), "not-enough-slots");
  stow_error_free(error);
  stow_error_free(errors[1]);
  stow_plan_free(plans[0]);
  stow_plan_free(plans[2]);
  CHECK(stow_place_many(jobs, 1, machine, plans, NULL, &failed, &error) == STOW_OK && failed == 1 && error == NULL);
  stow_plan_free(plans[0]);
  CHECK(stow_place_many(NULL, 0, machine, NULL, NULL, &failed, NULL) == STOW_OK && failed == 0);
  INVALID(stow_place_many(NULL, 1, machine, plans, NULL, &failed, &error));
  INVALID(stow_place_many(jobs, 1, NULL, plans, NULL, &failed, &error));
  INVALID(stow_place_many(jobs, 1, machine, NULL, NULL, &failed, &error));
  INVALID(stow_place_many(jobs, 1, machine, plans, NULL, NULL, &error));
  for (int at = 0; at < 3; at++) stow_job_free((stow_job *)jobs[at]);
}

static void planners(void)
{
  stow_job *job = job_of("-n 6 -H n[0-2]:4 --map-by core ./x");
  stow_planner *planner;
  stow_plan *plan;
  GOOD(stow_planner_new(job, machine, &planner, &error));
  INVALID(stow_planner_new(NULL, machine, &planner, &error));
  INVALID(stow_planner_new(job, NULL, &planner, &error));
  INVALID(stow_planner_new(job, machine, NULL, &error));
  GOOD(stow_planner_plan(planner, &plan, &error));
  INVALID(stow_planner_plan(planner, NULL, &error));
  INVALID(stow_planner_plan(NULL, &plan, &error));
  CHECK(stow_plan_nodes(plan) == 3);
  GOOD(stow_planner_lose(planner, TEXT("n0"), &error));
  BAD(STOW_REFUSED, "no-such-host", stow_planner_lose(planner, TEXT("n0"), &error));
  INVALID(stow_planner_lose(NULL, TEXT("n0"), &error));
  stow_plan *after;
  GOOD(stow_planner_plan(planner, &after, &error));
  CHECK(stow_plan_nodes(after) == 2 && stow_plan_nodes(plan) == 3 && stow_plan_ranks(after) == 6);
  stow_plan_free(after);
  stow_plan_free(plan);
  stow_planner_free(planner);
  stow_planner_free(NULL);
  stow_job_free(job);
}

static void sessions(void)
{
  stow_session *session, *again;
  char text[512];
  uint8_t journal[2048];
  size_t needed, more;
  GOOD(stow_session_new(TEXT("{\"initial\":{\"nodes\":[\"n0\",\"n1\"]}}"), &session, &error));
  BAD(STOW_REFUSED, "scenario", stow_session_new(TEXT("{\"initail\":{}}"), &again, &error));
  INVALID(stow_session_new(NULL, 1, &again, &error));
  CHECK(stow_session_answer(session, text, sizeof text, &needed) == STOW_OK && needed == 1);
  GOOD(stow_session_event(session, TEXT("{\"event\":\"node_down\",\"node\":\"n1\"}"), &error));
  BAD(STOW_REFUSED, "scenario", stow_session_event(session, TEXT("{\"event\":\"node_dwon\"}"), &error));
  INVALID(stow_session_event(NULL, TEXT("{}"), &error));
  CHECK(stow_session_answer(session, text, sizeof text, &needed) == STOW_OK && strstr(text, "\"status\":\"PMIX_SUCCESS\""));
  CHECK(stow_session_answer(NULL, text, sizeof text, &needed) == STOW_INVALID);
  CHECK(stow_session_journal(session, journal, sizeof journal, &needed) == STOW_OK && needed > 20);
  CHECK(stow_session_journal(NULL, journal, sizeof journal, &needed) == STOW_INVALID);
  GOOD(stow_session_kept(session, &error));
  INVALID(stow_session_kept(NULL, &error));
  CHECK(stow_session_journal(session, NULL, 0, &more) == STOW_OK && more == 0);
  GOOD(stow_session_from_journal(journal, needed, &again, &error));
  BAD(STOW_REFUSED, "journal", stow_session_from_journal(journal, 3, &again, &error));
  INVALID(stow_session_from_journal(NULL, 3, &again, &error));
  stow_machine *seen;
  GOOD(stow_machine_within(machine, again, "", 0, NULL, 0, &seen, &error));
  INVALID(stow_machine_within(NULL, again, "", 0, NULL, 0, &seen, &error));
  INVALID(stow_machine_within(machine, NULL, "", 0, NULL, 0, &seen, &error));
  INVALID(stow_machine_within(machine, again, "", 0, NULL, 0, NULL, &error));
  stow_plan *plan = plan_of(seen, "-n 2 --map-by core ./x");
  CHECK(stow_plan_nodes(plan) == 1 && stow_plan_node_name(plan, 0, text, sizeof text, &needed) == STOW_OK);
  IS(text, "n0");
  stow_plan_free(plan);
  stow_machine_free(seen);
  CHECK(stow_session_compact(again, journal, sizeof journal, &needed, NULL) == STOW_OK);
  CHECK(stow_session_compact(NULL, journal, sizeof journal, &needed, NULL) == STOW_INVALID);
  stow_session_free(again);
  GOOD(stow_session_from_journal(journal, needed, &again, &error));
  stow_session_free(again);
  stow_session_free(session);
  stow_session_free(NULL);
}

static void task_maps(void)
{
  stow_taskmap *map;
  char text[128];
  uint32_t number = 77, tasks[8];
  size_t needed;
  GOOD(stow_taskmap_read(TEXT("(vector,(0,2,4))"), &map, &error));
  BAD(STOW_REFUSED, "taskmap-syntax", stow_taskmap_read(TEXT("[[0,"), &map, &error));
  INVALID(stow_taskmap_read(NULL, 1, &map, &error));
  INVALID(stow_taskmap_read("x", 1, NULL, &error));
  GOOD(stow_taskmap_tasks(map, &number, &error));
  CHECK(number == 8);
  GOOD(stow_taskmap_nodes(map, &number, &error));
  CHECK(number == 2);
  GOOD(stow_taskmap_node_of(map, 5, &number, &error));
  CHECK(number == 1);
  INVALID(stow_taskmap_tasks(NULL, &number, &error));
  INVALID(stow_taskmap_nodes(map, NULL, &error));
  BAD(STOW_REFUSED, "taskmap-no-such-task", stow_taskmap_node_of(map, 8, &number, &error));
  GOOD(stow_taskmap_tasks_of(map, 1, tasks, 8, &needed, &error));
  CHECK(needed == 4 && tasks[0] == 4 && tasks[3] == 7);
  BAD(STOW_REFUSED, "taskmap-no-such-node", stow_taskmap_tasks_of(map, 2, tasks, 8, &needed, &error));
  GOOD(stow_taskmap_text(map, STOW_TASKMAP_RAW, text, sizeof text, &needed, &error));
  IS(text, "0-3;4-7");
  GOOD(stow_taskmap_text(map, STOW_TASKMAP_MAP, text, sizeof text, &needed, &error));
  IS(text, "[[0,2,4,1]]");
  INVALID(stow_taskmap_text(map, 6, text, sizeof text, &needed, &error));
  stow_taskmap_free(map);
  stow_taskmap_free(NULL);
  stow_plan *plan = plan_of(machine, "-n 4 -H a:2,b:2 ./x");
  GOOD(stow_taskmap_of_plan(plan, &map, &error));
  INVALID(stow_taskmap_of_plan(NULL, &map, &error));
  GOOD(stow_taskmap_text(map, STOW_TASKMAP_WRAPPED, text, sizeof text, &needed, &error));
  IS(text, "{\"version\":1,\"map\":[[0,2,2,1]]}");
  stow_taskmap_free(map);
  stow_plan_free(plan);
}

static void threads(void)
{
  const char *const variables[] = { "OMP_PLACES=cores", "OMP_NUM_THREADS=2" };
  const char *const wrong[] = { "OMP_PLACES" };
  stow_threads *found;
  uint32_t place = 77;
  char text[32];
  size_t needed;
  GOOD(stow_threads_from_cpus(topology, TEXT("0-3"), variables, 2, TEXT("gnu"), &found, &error));
  INVALID(stow_threads_from_cpus(NULL, TEXT("0-3"), variables, 2, TEXT("gnu"), &found, &error));
  INVALID(stow_threads_from_cpus(topology, TEXT("0-3"), wrong, 1, TEXT("gnu"), &found, &error));
  INVALID(stow_threads_from_cpus(topology, TEXT("0-3"), variables, 2, TEXT("gnu"), NULL, &error));
  BAD(STOW_REFUSED, "bad-value", stow_threads_from_cpus(topology, TEXT("0-99"), variables, 2, TEXT("gnu"), &found, &error));
  BAD(STOW_REFUSED, "bad-value", stow_threads_from_cpus(topology, TEXT("0-3"), variables, 2, TEXT("cray"), &found, &error));
  CHECK(stow_threads_count(found) == 2 && stow_threads_count(NULL) == 0 && stow_threads_places(found) == 2);
  CHECK(stow_threads_place(found, 1, &place) == STOW_OK && place == 1 && stow_threads_place(found, 2, &place) == STOW_NOT_FOUND);
  CHECK(stow_threads_place(NULL, 0, &place) == STOW_INVALID && stow_threads_place(found, 0, NULL) == STOW_INVALID);
  CHECK(stow_threads_cpus(found, 1, text, sizeof text, &needed) == STOW_OK && stow_threads_cpus(found, 2, text, sizeof text, &needed) == STOW_NOT_FOUND);
  IS(text, "2-3");
  IS(stow_threads_name(found, 1), "1");
  IS(stow_threads_name(found, 2), "");
  CHECK(stow_threads_place_cpus(found, 0, text, sizeof text, &needed) == STOW_OK && stow_threads_place_cpus(found, 2, text, sizeof text, &needed) == STOW_NOT_FOUND);
  IS(text, "0-1");
  CHECK(*stow_threads_bind(found) != 0);
  stow_threads_free(found);
  stow_threads_free(NULL);
  stow_job *job = job_of("-n 2 -H a:4 --map-by package:pe=2 ./x");
  stow_plan *plan;
  GOOD(stow_job_set_env(job, STOW_JOB, TEXT("OMP_PLACES"), TEXT("cores"), &error));
  GOOD(stow_job_set_env(job, 0, TEXT("OMP_NUM_THREADS"), TEXT("2"), &error));
  BAD(STOW_NOT_FOUND, "not-found", stow_job_set_env(job, 9, TEXT("A"), TEXT("1"), &error));
  INVALID(stow_job_set_env(NULL, 0, TEXT("A"), TEXT("1"), &error));
  INVALID(stow_job_set_env(job, 0, NULL, 1, TEXT("1"), &error));
  GOOD(stow_plan_new(job, machine, &plan, &error));
  GOOD(stow_threads_new(plan, 1, TEXT("gnu"), &found, &error));
  CHECK(stow_threads_count(found) == 2 && stow_threads_cpus(found, 0, text, sizeof text, &needed) == STOW_OK);
  IS(text, "4-5");
  stow_threads_free(found);
  BAD(STOW_NOT_FOUND, "not-found", stow_threads_new(plan, 2, TEXT("gnu"), &found, &error));
  INVALID(stow_threads_new(NULL, 0, TEXT("gnu"), &found, &error));
  INVALID(stow_threads_new(plan, 0, TEXT("gnu"), NULL, &error));
  stow_plan_free(plan);
  stow_job_free(job);
}

/* The changes that an error offers are obeyed: the job has room. Its job is gone when it is asked. */
static void helped(void)
{
  stow_plan *plan = NULL;
  stow_error *error = NULL;
  stow_job *job = job_of("-n 5 -H a:4 ./x : -n 1 -H a:4 ./y");
  uint32_t app = 7;
  CHECK(stow_plan_new(job, machine, &plan, &error) == STOW_REFUSED);
  stow_job_free(job);
  IS(stow_error_class(error), "not-enough-slots");
  CHECK(stow_error_app(error, &app) == STOW_OK && app == 0 && stow_error_app(error, NULL) == STOW_INVALID);
  CHECK(stow_error_number(error) != 0 && strstr(stow_error_docs(error), "more processes than slots"));
  const char *help = stow_error_help(error), *fewer = strstr(help, "as many as fit: -n ");
  CHECK(strchr(help, '\n') && fewer && stow_error_help(error) == help);
  char line[64];
  snprintf(line, sizeof line, "-n %ld -H a:4 ./x", fewer ? strtol(fewer + 19, NULL, 10) : 99);
  stow_error_free(error);
  job = job_of(line);
  GOOD(stow_plan_new(job, machine, &plan, &error));
  stow_plan_free(plan);
  stow_job_free(job);
  /* A wrong argument has a class too, and a topology names no app. */
  stow_topology *none;
  CHECK(stow_topology_read(NULL, 1, &none, &error) == STOW_INVALID);
  CHECK(stow_error_number(error) != 0 && *stow_error_docs(error) && *stow_error_help(error) == 0);
  stow_error_free(error);
  CHECK(stow_topology_read(TEXT("builtin:frontir"), &none, &error) == STOW_REFUSED);
  CHECK(stow_error_number(error) != 0 && stow_error_app(error, &app) == STOW_NOT_FOUND && app == 0);
  stow_error_free(error);
}

int main(void)
{
  GOOD(stow_topology_read(TEXT("package:2 core:2 pu:2"), &topology, &error));
  GOOD(stow_machine_new(topology, &machine, &error));
  explained();
  differ();
  refused();
  columns();
  network_cards();
  many();
  planners();
  sessions();
  task_maps();
  threads();
  helped();
  /* Without a handle there is nothing to tell. */
  IS(stow_explanation_text(NULL), "");
  IS(stow_explanation_sentence(NULL, 0), "");
  IS(stow_difference_text(NULL), "");
  IS(stow_refused_class(NULL), "");
  CHECK(stow_explanation_words(NULL) == 0 && stow_difference_same(NULL) == 0);
  stow_explanation_free(NULL);
  stow_machine_free(machine);
  stow_topology_free(topology);
  printf("%d faults\n", faults);
  return faults != 0;
}
