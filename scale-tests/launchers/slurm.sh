#!/bin/sh
# Slurm, from Debian: a controller and several node daemons on this machine. Needs two cpus, and root, because node daemons run as root.
. "$(dirname "$0")/jobs.sh"
. "$here/slurm-cluster.sh"
# n9 and n10 test that numbers in names are ordered by value.
STOWPLAN_GPUS=4
cluster 8 11 'CPUs=2 Boards=1 SocketsPerBoard=1 CoresPerSocket=2 ThreadsPerCore=1'

topology='--topo=core:2 pu:1'
job srun "$topology" -H n8:2,n9:2,n10:2,n11:2 -n 8 --map-by core "$stowplan" probe
job srun "$topology" -H n8:2,n9:2,n10:2,n11:2 -n 8 --map-by node --bind-to core "$stowplan" probe
job srun "$topology" -H n8:2,n9:2,n10:2 -n 5 --map-by node --rank-by node --bind-to core "$stowplan" probe
job srun "$topology" -H n11:2,n9:2,n10:1,n8:2 -n 7 --map-by node --bind-to core "$stowplan" probe
job srun "$topology" -H n8:2,n9:2 -n 3 --map-by core "$stowplan" probe : -n 1 "$stowplan" probe
cat >"$work/ranks" <<END
rank 0=n8 slot=0
rank 1=n9 slot=0
rank 2=n9 slot=1
rank 3=n8 slot=1
END
job srun "$topology" -H n8:2,n9:2 -n 4 --map-by "rankfile:file=$work/ranks" "$stowplan" probe
# Different cpus on each node: parts of a het step.
cat >"$work/ranks" <<END
rank 0=n8 slot=1
rank 1=n8 slot=0
rank 2=n9 slot=0
rank 3=n9 slot=1
END
job srun "$topology" -H n8:2,n9:2 -n 4 --map-by "rankfile:file=$work/ranks" "$stowplan" probe
job srun "$topology" -H n8:2,n10:2 -n 4 --map-by node --bind-to none "$stowplan" probe

# with_gpus WORDS...: like job; it also checks that each rank is shown the GPUs that it is given.
with_gpus() {
	job srun "$@"
	"$stowplan" show job.plan --columns rank,gpus | awk 'NR > 1 {
		list = ""
		for (part = split($2, parts, ","); part > 0; part--) {
			ends = split(parts[part], range, "-")
			for (gpu = range[ends]; gpu >= range[1]; gpu--) list = gpu (list == "" ? "" : ",") list
		}
		print $1 "\t" list
	}' >given
	cut -f 1,4 lines | sort -n >shown
	if cmp -s given shown; then
		say "ok     the GPUs of $(wc -l <given) ranks"
	else
		say "DIFFER the GPUs: $*"
		diff given shown || true
		failed=$((failed + 1))
	fi
}
if [ -z "${STOWPLAN_SHORT-}" ]; then
	with_gpus "$topology" --devices gpu=core:2,0 -H n8:2,n9:2 -n 4 --map-by gpu "$stowplan" probe
	with_gpus "$topology" --devices gpu=core:3,2,1,0 -H n8:2,n9:2,n10:2 -n 6 --map-by node --bind-to core --gpus split "$stowplan" probe
	with_gpus "$topology" --devices gpu=core:2,0 --devices n9=gpu=core:0,3 -H n8:2,n9:2 -n 4 --map-by gpu "$stowplan" probe
fi
done_with slurm
