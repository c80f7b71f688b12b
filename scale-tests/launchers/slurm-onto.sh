#!/bin/sh
# The way from the login node to the job (docs/questions.md), in Debian's Slurm on this machine: a plan is made before its nodes are
# known, sbatch and salloc grant some, and the plan is carried onto them and runs there as planned. Needs two cpus, and root.
. "$(dirname "$0")/jobs.sh"
. "$here/slurm-cluster.sh"
cluster 8 11 'CPUs=2 Boards=1 SocketsPerBoard=1 CoresPerSocket=2 ThreadsPerCore=1'
cd "$work"

# The job script: what the document says, and what each line gave. The tasks are probes, which tell where they run.
cat >job.sh <<END
#!/bin/sh
set -eu
"$stowplan" onto job.plan --here --save granted.plan >page
"$stowplan" export srun granted.plan >run.sh
sh run.sh >live
"$stowplan" check granted.plan --live live >answer.run
# exec binds; the order of tasks is srun's, in the words of the script.
order=\$(grep -o -e ' -m [a-z]*\(=[0-9]*\)\?' run.sh)
srun \$order "$stowplan" exec granted.plan >live
"$stowplan" check granted.plan --live live >answer.exec
srun \$order "$stowplan" exec job.plan --onto --here >live
"$stowplan" check granted.plan --live live >answer.both
srun -l \$order "$stowplan" exec granted.plan >live
"$stowplan" check granted.plan --live live >answer.label
"$stowplan" show granted.plan --columns node | sed 1d | sort -u | tr '\n' ' ' >nodes
END
chmod +x job.sh

# recipe RANKS NODES HOW WORDS...: plans RANKS ranks on the login node, which sees no Slurm, and runs the job script on NODES.
recipe() {
	ranks=$1 nodes=$2 how=$3
	shift 3
	jobs=$((jobs + 1))
	rm -f answer.* granted.plan nodes job.out
	env -u SLURM_CONF "$stowplan" map --topo 'core:2 pu:1' --save job.plan -o page "$@" "$stowplan" probe 2>notes
	case $how in
	sbatch) sbatch -Q --wait -N2 -n "$ranks" -w "$nodes" --exclusive -o job.out job.sh && status=0 || status=$? ;;
	salloc) timeout 120 salloc -Q -N2 -n "$ranks" -w "$nodes" --exclusive ./job.sh >job.out 2>&1 && status=0 || status=$? ;;
	esac
	agreed=$(grep -l "all $ranks ranks are where they were planned" answer.* 2>/dev/null | wc -l)
	if [ "$status" -eq 0 ] && [ "$agreed" -eq 4 ]; then
		say "ok     $how, granted $(cat nodes): $*"
	else
		say "FAILED $how, status $status, $agreed of 4 runs as planned: $*"
		head -20 job.out answer.* live 2>/dev/null || true
		failed=$((failed + 1))
	fi
}

recipe 4 'n[8-9]' sbatch -H a:2,b:2 -n 4 --map-by node --bind-to core
[ -n "${STOWPLAN_SHORT-}" ] || {
	# n9 before n10: by value, not by letters.
	recipe 4 'n[9-10]' sbatch -H a:2,b:2 -n 4 --map-by core
	recipe 3 'n[10-11]' sbatch -H a:2,b:1 -n 3 --map-by core
	recipe 4 'n[8,11]' salloc -H a:2,b:2 -n 4 --map-by node --rank-by slot --bind-to core
}

# A plan for three nodes does not fit on two: refused with both counts, before anything runs.
jobs=$((jobs + 1))
env -u SLURM_CONF "$stowplan" map --topo 'core:2 pu:1' --save job.plan -o page -H a:2,b:2,c:2 -n 6 --map-by node "$stowplan" probe 2>notes
if timeout 120 salloc -Q -N2 -n 4 --exclusive ./job.sh >job.out 2>&1; then
	say 'FAILED salloc: a plan for three nodes was carried onto two'
	failed=$((failed + 1))
elif grep -q 'error\[.*3.*2' job.out; then
	say "ok     salloc: $(grep 'error\[' job.out)"
else
	say 'FAILED salloc: refused in other words'
	cat job.out
	failed=$((failed + 1))
fi
done_with slurm-onto
