#!/bin/sh
# More of Slurm: the plug-in of bindings/examples binds real tasks, and a sweep runs as a job array.
. "$(dirname "$0")/jobs.sh"
root=$(cd "$here/../.." && pwd)
spank=$work/stowplan_spank.so
target=${CARGO_TARGET_DIR:-$root/target}
(cd "$root" && CARGO_TARGET_DIR=$target cargo build --profile gate --quiet --package stowplan-c)
for name in libstowplan.so libstowplan.so.1; do cp "$target/gate/libstowplan_c.so" "$work/$name"; done
# Slurm's own headers, where they can be had.
[ -f /usr/include/slurm/spank.h ] || apt-get install -y -qq --no-install-recommends libslurm-dev >/dev/null 2>&1 || true
headers=
if [ ! -f /usr/include/slurm/spank.h ]; then
	headers=$root/bindings/examples/slurm/include
	say "skipped: slurm-more: THE PLUG-IN IS NOT BUILT WITH SLURM'S OWN HEADERS: libslurm-dev is not here and could not be installed"
fi
cc -std=c11 -Wall -Wextra -Werror -shared -fPIC ${headers:+-I"$headers"} -I"$root/bindings/c/include" \
	"$root/bindings/examples/slurm/stowplan_spank.c" -L"$work" -Wl,-rpath,"$work" -lstowplan -o "$spank"
STOWPLAN_PLUGIN=$spank
. "$here/slurm-cluster.sh"
cluster 8 11 'CPUs=2 Boards=1 SocketsPerBoard=1 CoresPerSocket=2 ThreadsPerCore=1'
cd "$work"

# step ORDER WORDS...: saves a plan, starts it in this order with no other option for cpus, and compares the plan with what its tasks print.
step() {
	order=$1
	shift
	jobs=$((jobs + 1))
	"$stowplan" map '--topo=core:2 pu:1' --save job.plan "$@" "$stowplan" >page
	# shellcheck disable=SC2086 # the order is several words
	timeout 120 salloc -Q -N4 --exclusive srun $order --stowplan=job.plan "$stowplan" probe >lines 2>errors || true
	if "$stowplan" check job.plan --live lines >answer 2>&1; then
		say "ok     spank, $(cat answer): $*"
	else
		say "DIFFER spank: $*"
		cat answer errors lines
		failed=$((failed + 1))
	fi
}
step '-N4 -n8 -m block' -H n8:2,n9:2,n10:2,n11:2 -n 8 --map-by core --bind-to core
step '-N4 -n8 -m cyclic' -H n8:2,n9:2,n10:2,n11:2 -n 8 --map-by node --bind-to core
cat >ranks <<END
rank 0=n8 slot=1
rank 1=n9 slot=0
rank 2=n8 slot=0
rank 3=n9 slot=1
END
# Different cpus on each node, alternating: srun has no words for this.
step '-N2 -w n[8-9] -n4 -m cyclic' -H n8:2,n9:2 -n 4 --map-by rankfile:file=ranks

# refused WHAT SENTENCE WORDS...: a step that the plug-in refuses with this sentence.
refused() {
	jobs=$((jobs + 1))
	what=$1
	sentence=$2
	shift 2
	timeout 120 salloc -Q -N4 --exclusive srun "$@" "$stowplan" probe >lines 2>errors && status=0 || status=$?
	if [ "$status" -ne 0 ] && grep -q "$sentence" errors; then
		say "ok     spank: refused is $what"
	else
		say "FAILED spank: $what, status $status"
		cat errors lines
		failed=$((failed + 1))
	fi
}
refused 'another order than planned' 'rank 1 was planned on n9 and is on n8' -N2 -w 'n[8-9]' -n4 -m block --stowplan=job.plan
refused 'another number of ranks' 'is a plan of 4 ranks, the step has another number' -N2 -w 'n[8-9]' -n3 -m cyclic --stowplan=job.plan
refused 'a plan that is not there' 'none.plan cannot be read' -N1 -n1 --stowplan=none.plan
say nothing >none.plan
refused 'a plan that is none' 'error.bad-plan' -N1 -n1 --stowplan=none.plan

# Without a plan the plug-in does nothing.
jobs=$((jobs + 1))
if timeout 120 salloc -Q -N4 --exclusive srun -N4 -n8 "$stowplan" probe >lines 2>errors && [ "$(wc -l <lines)" -eq 8 ]; then
	say 'ok     spank: a step without a plan runs as always'
else
	say 'FAILED spank: a step without a plan'
	cat errors lines
	failed=$((failed + 1))
fi

# A sweep over machines, policies and counts: the answers of four tasks are those of one run.
jobs=$((jobs + 1))
for machine in frontier perlmutter-cpu leonardo-dcgp hbv4; do
	for policy in slot node core l3cache numa package hwthread node:pe=2 core:nosuch; do
		for count in $(seq 3 17 500); do
			say "{\"id\":\"$machine $policy $count\",\"words\":[\"--topo\",\"builtin:$machine\",\"-H\",\"n[0-3]:128\",\"-n\",\"$count\",\"--map-by\",\"$policy\",\"--format\",\"text\",\"./x\"]}"
		done
	done
done >requests.jsonl
begin=$(date +%s)
STOWPLAN=$stowplan sbatch --wait -Q "$root/tools/examples/sweep.sbatch" || true
"$stowplan" batch <requests.jsonl >alone.jsonl
for file in alone.jsonl answers.*.jsonl; do
	# Line numbers count within each run.
	sed 's/"line":[0-9]*,//' "$file"
	[ "$file" != alone.jsonl ] || say '--'
done | awk '$0 == "--" { next } { seen[$0]++ } END { for (line in seen) if (seen[line] != 2) bad++; exit bad > 0 }' && same=yes || same=no
lines=$(wc -l <requests.jsonl)
if [ "$same" = yes ] && [ "$(cat answers.*.jsonl | wc -l)" -eq "$lines" ]; then
	say "ok     array: $lines requests answered by 4 tasks as by one run, $(($(date +%s) - begin)) s"
else
	say "FAILED array: $(cat answers.*.jsonl | wc -l) answers of $lines requests, the same: $same"
	cat sweep.*.out
	failed=$((failed + 1))
fi
done_with slurm-more
