# A Slurm of our own: a controller and a node daemon for each node, all on this machine. slurm.sh, slurm-more.sh,
# slurm-onto.sh and slurm-large.sh read this file.
# It needs root, because node daemons run as root. It does not need munge, because nobody else reaches these ports.
[ "$(id -u)" -eq 0 ] || { say 'skipped: slurm: node daemons must be started by root'; exit 0; }
command -v slurmctld >/dev/null && command -v slurmd >/dev/null ||
	apt-get install -y -qq --no-install-recommends slurmctld slurmd slurm-client munge >/dev/null 2>&1 ||
	{ say 'skipped: slurm: it cannot be installed'; exit 0; }
daemons=
stop() {
	for daemon in $daemons; do kill "$daemon" 2>/dev/null || true; done
	for daemon in $daemons; do wait "$daemon" 2>/dev/null || true; done
	rm -rf "$work"
}
trap stop EXIT

# cluster FIRST LAST HARDWARE: starts nodes nFIRST to nLAST and returns when they are up. HARDWARE describes each node in the words
# of slurm.conf.
# With STOWPLAN_GPUS each node has this many GPUs. With STOWPLAN_SYNTHETIC the daemons see this machine, and bindings to its cpus
# succeed (affinity.c).
cluster() {
	host=$(hostname -s)
	mkdir -p "$work/state"
	cat >"$work/slurm.conf" <<CONF
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
CONF
	# GPUs that no process opens: Slurm counts files, and gives tasks numbers.
	if [ -n "${STOWPLAN_GPUS-}" ]; then
		say 'GresTypes=gpu' >>"$work/slurm.conf"
		say "NodeName=n[$1-$2] Name=gpu File=/dev/tty[0-$((STOWPLAN_GPUS - 1))]" >"$work/gres.conf"
	fi
	for node in $(seq "$1" "$2"); do
		mkdir -p "$work/spool.n$node"
		say "NodeName=n$node NodeHostname=$host NodeAddr=127.0.0.1 Port=$((17900 + node)) $3 RealMemory=500${STOWPLAN_GPUS:+ Gres=gpu:$STOWPLAN_GPUS}" >>"$work/slurm.conf"
	done
	# A plug-in for srun and its tasks, if a script has one.
	say "PlugStackConfig=$work/plugstack.conf" >>"$work/slurm.conf"
	say "${STOWPLAN_PLUGIN:+required $STOWPLAN_PLUGIN}" >"$work/plugstack.conf"
	say 'PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP' >>"$work/slurm.conf"
	export SLURM_CONF="$work/slurm.conf"
	preload=
	if [ -n "${STOWPLAN_SYNTHETIC-}" ]; then
		preload=$work/affinity.so
		cc -shared -fPIC -o "$preload" "$here/affinity.c"
	fi
	slurmctld -D -f "$SLURM_CONF" >/dev/null 2>&1 &
	daemons="$daemons $!"
	for node in $(seq "$1" "$2"); do
		env ${preload:+LD_PRELOAD="$preload" HWLOC_SYNTHETIC="$STOWPLAN_SYNTHETIC"} slurmd -D -N "n$node" -f "$SLURM_CONF" >/dev/null 2>&1 &
		daemons="$daemons $!"
	done
	tries=0
	until [ "$(sinfo -h -N -t idle -o %N 2>/dev/null | sort -u | wc -l)" -eq $(($2 - $1 + 1)) ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 300 ] || { say 'slurm: the node daemons did not come up'; cat "$work"/*.log | tail -50; exit 1; }
		sleep 0.1
	done
	srun --version
	launcher=$work/launcher
	# In an allocation of whole nodes a step has all cpus of its nodes. A job of its own would get as many cpus as it has tasks.
	cat >"$launcher" <<CALL
#!/bin/sh
exec timeout 120 env -u SLURM_HOSTFILE salloc -Q -N$(($2 - $1 + 1)) --exclusive ${STOWPLAN_GPUS:+--gres=gpu:$STOWPLAN_GPUS} env \${SLURM_HOSTFILE:+SLURM_HOSTFILE="\$SLURM_HOSTFILE"} srun "\$@"
CALL
	chmod +x "$launcher"
}
