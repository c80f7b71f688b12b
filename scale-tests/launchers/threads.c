/* Prints where each thread of OpenMP may run, in the rows of `stowplan threads --format tsv` without the place. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

int main(void)
{
	static cpu_set_t cpus[4096];
	int number = 0;
#pragma omp parallel
	{
		int thread = omp_get_thread_num();
#pragma omp single
		number = omp_get_num_threads();
		pthread_getaffinity_np(pthread_self(), sizeof cpus[0], &cpus[thread]);
	}
	for (int thread = 0; thread < number; thread++) {
		const char *between = "\t";
		printf("%d", thread);
		for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
			int last = cpu;
			if (!CPU_ISSET(cpu, &cpus[thread]))
				continue;
			while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &cpus[thread]))
				last++;
			if (last > cpu)
				printf("%s%d-%d", between, cpu, last);
			else
				printf("%s%d", between, cpu);
			between = ",";
			cpu = last;
		}
		printf("\n");
	}
	return 0;
}
