/* What test programs of several handles share: calls that must work, calls that must be refused, and jobs of one line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowplan.h>

static int faults;
#define CHECK(what) do { if (!(what)) { printf("line %d: %s\n", __LINE__, #what); faults++; } } while (0)
#define TEXT(text) (text), strlen(text)
#define GOOD(call) do { stow_error *error = NULL; CHECK((call) == STOW_OK); \
    if (error) printf("line %d: %s: %s\n", __LINE__, stow_error_class(error), stow_error_message(error)); \
    stow_error_free(error); } while (0)
#define BAD(status, class_, call) do { stow_error *error = NULL; CHECK((call) == (status)); CHECK(error != NULL); \
    if (strcmp(stow_error_class(error), class_) != 0) { printf("line %d: %s\n", __LINE__, stow_error_class(error)); faults++; } \
    stow_error_free(error); } while (0)
#define INVALID(call) BAD(STOW_INVALID, "invalid-argument", call)
#define IS(text, wanted) CHECK(strcmp(text, wanted) == 0)

/* A job of a command line without quotes. */
static stow_job *job_of(const char *line)
{
  char copy[256];
  const char *words[32];
  size_t count = 0;
  snprintf(copy, sizeof copy, "%s", line);
  for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) words[count++] = word;
  stow_job *job = NULL;
  GOOD(stow_job_from_words(words, count, &job, &error));
  return job;
}
