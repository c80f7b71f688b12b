/* The part of Flux's <flux/shell.h> that stowplan_flux.c uses, from the manual pages flux_plugin_add_handler(3), flux_plugin_arg_unpack(3),
 * flux_shell_info_unpack(3), flux_shell_rank_info_unpack(3), flux_shell_getopt_unpack(3), flux_shell_get_hwloc_xml(3),
 * flux_shell_current_task(3), flux_shell_task_info_unpack(3) and flux_shell_log(3). It serves to compile the example without Flux's
 * headers, and the host program that tests it. If Flux's headers are installed, use those. */
#ifndef STOWPLAN_EXAMPLE_FLUX_SHELL_H
#define STOWPLAN_EXAMPLE_FLUX_SHELL_H

typedef struct flux_plugin flux_plugin_t;
typedef struct flux_plugin_arg flux_plugin_arg_t;
typedef struct flux_shell flux_shell_t;
typedef struct shell_task flux_shell_task_t;
typedef void (*flux_free_f)(void *data);
typedef int (*flux_plugin_f)(flux_plugin_t *plugin, const char *topic, flux_plugin_arg_t *args, void *data);

enum { FLUX_PLUGIN_ARG_IN = 0, FLUX_PLUGIN_ARG_OUT = 1 };
enum { FLUX_SHELL_ERROR = 3 };

int flux_plugin_init(flux_plugin_t *plugin);
int flux_plugin_add_handler(flux_plugin_t *plugin, const char *topic, flux_plugin_f handler, void *data);
int flux_plugin_aux_set(flux_plugin_t *plugin, const char *key, void *value, flux_free_f free_value);
void *flux_plugin_aux_get(flux_plugin_t *plugin, const char *key);
int flux_plugin_arg_unpack(flux_plugin_arg_t *args, int flags, const char *format, ...);
int flux_plugin_arg_pack(flux_plugin_arg_t *args, int flags, const char *format, ...);

flux_shell_t *flux_plugin_get_shell(flux_plugin_t *plugin);
int flux_shell_get_hwloc_xml(flux_shell_t *shell, const char **xml);
int flux_shell_info_unpack(flux_shell_t *shell, const char *format, ...);
int flux_shell_rank_info_unpack(flux_shell_t *shell, int shell_rank, const char *format, ...);
int flux_shell_getopt_unpack(flux_shell_t *shell, const char *name, const char *format, ...);
flux_shell_task_t *flux_shell_current_task(flux_shell_t *shell);
int flux_shell_task_info_unpack(flux_shell_task_t *task, const char *format, ...);
void flux_shell_log(const char *component, int level, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#define shell_log_error(...) flux_shell_log(FLUX_SHELL_PLUGIN_NAME, FLUX_SHELL_ERROR, __FILE__, __LINE__, __VA_ARGS__)

#endif
