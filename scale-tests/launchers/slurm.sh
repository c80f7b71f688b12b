#!/bin/sh
# Slurm, from Debian: a controller and several node daemons on this machine, two cpus needed. As root: node daemons are root's.
. "$(dirname "$0")/jobs.sh"
. "$here/slurm-cluster.sh"
# n9 and n10: numbers in names are ordered by value.
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
# Other cpus on each node: parts of a het step.
cat >"$work/ranks" <<END
rank 0=n8 slot=1
rank 1=n8 slot=0
rank 2=n9 slot=0
rank 3=n9 slot=1
END
job srun "$topology" -H n8:2,n9:2 -n 4 --map-by "rankfile:file=$work/ranks" "$stowplan" probe
job srun "$topology" -H n8:2,n10:2 -n 4 --map-by node --bind-to none "$stowplan" probe
done_with slurm
