/* Preloaded into the daemons of Slurm and Hydra: binding to cpus that this machine does not have succeeds, and is forgotten.
   What a launcher asked for is read from what it says (srun: --cpu-bind=verbose). */
#define _GNU_SOURCE
#include <sched.h>
#include <string.h>
#include <sys/types.h>

int sched_setaffinity(pid_t process, size_t bytes, const cpu_set_t *cpus)
{
	(void)process;
	(void)bytes;
	(void)cpus;
	return 0;
}

int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *cpus)
{
	(void)process;
	memset(cpus, 0xff, bytes);
	return 0;
}
