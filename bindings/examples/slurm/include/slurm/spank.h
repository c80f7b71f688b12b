/* The part of Slurm's spank.h that stowplan_spank.c uses, from its manual spank(7). It serves to compile the example without Slurm's
 * headers, and the host program that tests it. If Slurm's headers are installed, use those. */
#ifndef STOWPLAN_EXAMPLE_SPANK_H
#define STOWPLAN_EXAMPLE_SPANK_H

typedef struct spank_handle *spank_t;
typedef int spank_err_t;
enum { ESPANK_SUCCESS = 0, ESPANK_ERROR = 3000 };

/* Items, numbered by their position in the list of the manual. */
typedef enum spank_item { S_JOB_TOTAL_TASK_COUNT = 7, S_TASK_GLOBAL_ID = 12 } spank_item_t;

struct spank_option {
  char *name, *arginfo, *usage;
  int has_arg, val;
  int (*cb)(int value, const char *argument, int remote);
};

int spank_remote(spank_t spank);
spank_err_t spank_option_register(spank_t spank, struct spank_option *option);
spank_err_t spank_get_item(spank_t spank, spank_item_t item, ...);
spank_err_t spank_getenv(spank_t spank, const char *name, char *out, int len);
void slurm_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

int slurm_spank_init(spank_t spank, int count, char *words[]);
int slurm_spank_user_init(spank_t spank, int count, char *words[]);
int slurm_spank_task_init(spank_t spank, int count, char *words[]);
int slurm_spank_exit(spank_t spank, int count, char *words[]);

#define SPANK_PLUGIN(name, version) \
  const char plugin_name[] = #name; \
  const char plugin_type[] = "spank"; \
  const unsigned int plugin_version = 0; \
  const unsigned int spank_plugin_version = version;

#endif
