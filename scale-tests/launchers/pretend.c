/* Preloaded into a program with OpenMP: a machine that is not there. Affinity calls are answered from a set that each thread keeps, files
   of the machine are read below PRETEND_ROOT, and there are PRETEND_CPUS cpus. PRETEND_MASK, `0-3,8`, is the set of the first thread. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static __thread cpu_set_t own;        /* where this thread may run */
static __thread cpu_set_t next;       /* where the thread that is created next may run, if planned */
static __thread int planned;
static cpu_set_t machine;             /* all cpus */
static long cpus;

/* Called before anything is answered: the runtime's own constructor runs before one of ours would. The first caller is the first thread. */
static void begin(void)
{
	if (cpus)
		return;
	const char *text = getenv("PRETEND_MASK");
	cpus = atol(getenv("PRETEND_CPUS"));
	for (long cpu = 0; cpu < cpus; cpu++)
		CPU_SET(cpu, &machine);
	while (*text) {
		char *end;
		long first = strtol(text, &end, 10), last = first;
		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		for (; first <= last; first++)
			CPU_SET(first, &own);
		text = *end ? end + 1 : end;
	}
}

/* The kernel refuses sets that are shorter than its own, and those without a cpu that is there. */
static int get(size_t bytes, void *cpus_of)
{
	begin();
	if (bytes * 8 < (size_t)cpus || bytes % sizeof(long))
		return EINVAL;
	memset(cpus_of, 0, bytes);
	memcpy(cpus_of, &own, bytes < sizeof own ? bytes : sizeof own);
	return 0;
}

static int set(cpu_set_t *to, size_t bytes, const void *from)
{
	cpu_set_t wanted;
	begin();
	CPU_ZERO(&wanted);
	memcpy(&wanted, from, bytes < sizeof wanted ? bytes : sizeof wanted);
	CPU_AND(&wanted, &wanted, &machine);
	if (CPU_COUNT(&wanted) == 0)
		return EINVAL;
	*to = wanted;
	return 0;
}

int pthread_getaffinity_np(pthread_t thread, size_t bytes, cpu_set_t *answer)
{
	(void)thread;
	return get(bytes, answer);
}

int pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t *wanted)
{
	(void)thread;
	return set(&own, bytes, wanted);
}

int pthread_attr_setaffinity_np(pthread_attr_t *attributes, size_t bytes, const cpu_set_t *wanted)
{
	(void)attributes;
	planned = set(&next, bytes, wanted) == 0;
	return planned ? 0 : EINVAL;
}

struct start {
	void *(*body)(void *);
	void *argument;
	cpu_set_t cpus;
};

static void *run(void *given)
{
	struct start start = *(struct start *)given;
	free(given);
	own = start.cpus;
	return start.body(start.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
	struct start *start = malloc(sizeof *start);
	begin();
	*start = (struct start){ body, argument, planned ? next : own };
	planned = 0;
	return real(thread, attributes, run, start);
}

/* LLVM's runtime asks the kernel itself. */
long syscall(long number, ...)
{
	long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	long word[6];
	va_list words;
	int failed;
	va_start(words, number);
	for (int i = 0; i < 6; i++)
		word[i] = va_arg(words, long);
	va_end(words);
	if (number == SYS_sched_getaffinity)
		failed = word[2] ? get((size_t)word[1], (void *)word[2]) : EFAULT;
	else if (number == SYS_sched_setaffinity)
		failed = word[2] ? set(&own, (size_t)word[1], (void *)word[2]) : EFAULT;
	else
		return real(number, word[0], word[1], word[2], word[3], word[4], word[5]);
	if (failed) {
		errno = failed;
		return -1;
	}
	return number == SYS_sched_getaffinity ? word[1] : 0;
}

long sysconf(int name)
{
	long (*real)(int) = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
	begin();
	return name == _SC_NPROCESSORS_CONF || name == _SC_NPROCESSORS_ONLN ? cpus : real(name);
}

static FILE *pretended(FILE *(*real)(const char *, const char *), const char *path, const char *mode)
{
	char there[4096];
	if (strncmp(path, "/sys/devices/system/", 20) && strcmp(path, "/proc/cpuinfo"))
		return real(path, mode);
	snprintf(there, sizeof there, "%s%s", getenv("PRETEND_ROOT"), path);
	return real(there, mode);
}

FILE *fopen(const char *path, const char *mode)
{
	return pretended((FILE *(*)(const char *, const char *))dlsym(RTLD_NEXT, "fopen"), path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
	return pretended((FILE *(*)(const char *, const char *))dlsym(RTLD_NEXT, "fopen64"), path, mode);
}
