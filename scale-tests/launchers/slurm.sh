#!/bin/sh
# Slurm, from Debian: a controller and several node daemons on this machine, two cpus needed. As root: node daemons are root's.
. "$(dirname "$0")/jobs.sh"
[ "$(id -u)" -eq 0 ] || { say 'slurm: not checked: node daemons must be started by root'; exit 0; }
command -v slurmctld >/dev/null && command -v slurmd >/dev/null ||
	apt-get install -y -qq --no-install-recommends slurmctld slurmd slurm-client munge >/dev/null 2>&1 ||
	{ say 'slurm: not checked: it cannot be installed'; exit 0; }
nodes=4
daemons=
stop() {
	for daemon in $daemons; do kill "$daemon" 2>/dev/null || true; done
	for daemon in $daemons; do wait "$daemon" 2>/dev/null || true; done
	rm -rf "$work"
}
trap stop EXIT
host=$(hostname -s)
mkdir -p "$work/state"
cat >"$work/slurm.conf" <<END
ClusterName=sp
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
SlurmctldPort=17817
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool.%n
TmpFS=$work/spool.%n
SlurmctldPidFile=$work/ctld.pid
SlurmdPidFile=$work/slurmd.%n.pid
SlurmctldLogFile=$work/ctld.log
SlurmdLogFile=$work/%n.log
MailProg=/bin/true
ProctrackType=proctrack/pgid
TaskPlugin=task/affinity
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_min_interval=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
END
# n9 and n10: numbers in names are ordered by value.
for node in 8 9 10 11; do
	mkdir -p "$work/spool.n$node"
	say "NodeName=n$node NodeHostname=$host NodeAddr=127.0.0.1 Port=$((17900 + node)) CPUs=2 Boards=1 SocketsPerBoard=1 CoresPerSocket=2 ThreadsPerCore=1 RealMemory=500" >>"$work/slurm.conf"
done
say 'PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP' >>"$work/slurm.conf"
export SLURM_CONF="$work/slurm.conf"
slurmctld -D -f "$SLURM_CONF" >/dev/null 2>&1 &
daemons="$daemons $!"
for node in 8 9 10 11; do
	slurmd -D -N "n$node" -f "$SLURM_CONF" >/dev/null 2>&1 &
	daemons="$daemons $!"
done
tries=0
until [ "$(sinfo -h -N -t idle -o %N 2>/dev/null | sort -u | wc -l)" -eq "$nodes" ]; do
	tries=$((tries + 1))
	[ "$tries" -lt 200 ] || { say 'slurm: the node daemons did not come up'; cat "$work"/*.log; exit 1; }
	sleep 0.1
done
srun --version
launcher=$work/launcher
# A step has all cpus of its nodes in an allocation of whole nodes; a job of its own would get as many as it has tasks.
cat >"$launcher" <<END
#!/bin/sh
exec timeout 60 env -u SLURM_HOSTFILE salloc -Q -N4 --exclusive env \${SLURM_HOSTFILE:+SLURM_HOSTFILE="\$SLURM_HOSTFILE"} srun "\$@"
END
chmod +x "$launcher"

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
