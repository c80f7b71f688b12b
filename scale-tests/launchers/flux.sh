#!/bin/sh
# Flux itself: the plug-in of bindings/examples maps and binds the tasks of real jobs, and lines of flux run land where `map` says.
. "$(dirname "$0")/jobs.sh"
if ! command -v flux >/dev/null 2>&1; then
	say "skipped: flux: FLUX IS NOT HERE: Debian has no package of it, and no Python package brings it"
	exit 0
fi
root=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
(cd "$root" && CARGO_TARGET_DIR=$target cargo build --profile gate --quiet --package stowplan-c)
for name in libstowplan.so libstowplan.so.1; do cp "$target/gate/libstowplan_c.so" "$work/$name"; done
flux=$(dirname "$(dirname "$(command -v flux)")")
cc -std=c11 -Wall -Wextra -Werror -shared -fPIC -I"$flux/include" -I"$root/bindings/c/include" \
	"$root/bindings/examples/flux/stowplan_flux.c" -L"$work" -Wl,-rpath,"$work" -lstowplan -o "$work/stowplan.so"
cd "$work"
echo "plugin.load { file = \"$work/stowplan.so\" }" >rc.lua
flux version | sed -n 's/^libflux-core: */flux: Flux /p'

# Four brokers on this machine, each a node of 16 cores as this topology has them.
topology=$root/cases/machines/shared-caches.xml
flux R encode -r0-3 -c0-15 -H 'n[0-3]' >R
printf '[resource]\npath = "%s"\nnoverify = true\n' "$work/R" >flux.toml
cat >all.sh <<'E2'
# Each line: what stands behind `flux run`. The task map, or the exit status.
while read -r words; do
	if eval "timeout 60 flux run $words true" </dev/null >told 2>errors; then
		flux job taskmap --to=raw "$(flux job last)"
	else
		echo "refused"
		flux cancel --all >errors 2>&1 || true
	fi
done
E2
instance() {
	FLUX_HWLOC_XMLFILE=$topology FLUX_HWLOC_XMLFILE_NOT_THISSYSTEM=1 timeout 600 \
		flux start --test-size=4 --test-hosts='n[0-3]' --config-path=flux.toml sh all.sh
}

# The ranks of each node, in the order of the hosts, as `flux job taskmap --to=raw` has them.
raw() {
	awk 'NR > 1 { if (!($4 in seen)) { seen[$4] = ++nodes }; of[seen[$4]] = of[seen[$4]] (of[seen[$4]] == "" ? "" : ",") $1 }
		END { for (at = 1; at <= nodes; at++) printf "%s%s", of[at], at < nodes ? ";" : "\n" }'
}
# A list of ranks without ranges.
unfolded() {
	awk -F';' '/refused/ { print; next } { for (at = 1; at <= NF; at++) { count = split($at, parts, ","); all = ""
		for (part = 1; part <= count; part++) { ends = split(parts[part], range, "-"); last = ends > 1 ? range[2] : range[1]
			for (rank = range[1]; rank <= last; rank++) all = all (all == "" ? "" : ",") rank }
		printf "%s%s", all, at < NF ? ";" : "\n" } }'
}

# Lines of flux run, and what `map` says of them with the same R.
cat >lines <<'E2'
-n 7
-N2 -n5
-N4 -n16 -c3
-N3 -n 10 --taskmap=cyclic
-N2 -n 9 --taskmap=cyclic:2
-N2 --tasks-per-node=5
--cores=6 --tasks-per-core=2
-N2 --cores=7
-N5
-n 3 --requires=host:n[2-3]
-n2 --gpus-per-node=0 --cores=2
E2
instance <lines >theirs
while read -r words; do
	# shellcheck disable=SC2086 # the words of the line
	"$stowplan" map --topo "$topology" --granted R --format tsv flux run $words true 2>errors | raw
	grep -q '^error' errors && echo refused
done <lines >ours
# The plug-in, and the map of the same words.
cat >mapped <<'E2'
-N4 -n16 l3cache -H n[0-3]:4 -n 16
-N2 -n16 node -H n[0-1]:8 -n 16
-N2 -n16 core -H n[0-1]:8 -n 16
-N3 -n12 core:span -H n[0-2]:4 -n 12
-N2 -n2 nonsense -H n[0-1]:1 -n 2
E2
plugin="-o userrc=$work/rc.lua -o cpu-affinity=off"
sed "s|^\(-N[0-9]* -n[0-9]*\) \([^ ]*\) .*|$plugin -o stowplan.bind-to=none \1 --taskmap=stowplan:\2|" mapped | instance >>theirs
while read -r nodes tasks policy words; do
	# Flux gives a job as many cores of a node as it has tasks there.
	cores=$((${tasks#-n} / ${nodes#-N}))
	# shellcheck disable=SC2086
	"$stowplan" map --topo "$topology" --prtemca hwloc_default_cpu_list "0-$((cores - 1))" $words --map-by "$policy" --bind-to none --format tsv true 2>errors | raw
	grep -q '^error' errors && echo refused
done <mapped >>ours
unfolded <theirs >theirs.flat
cat lines mapped >all
paste -d'|' all theirs.flat ours >both
while IFS='|' read -r words real own; do
	jobs=$((jobs + 1))
	if [ "$real" = "$own" ]; then
		say "ok     flux: $words"
	else
		say "DIFFER flux: $words: $real, map says $own"
		failed=$((failed + 1))
	fi
done <both

# Tasks of the plug-in are bound where this machine has the cpus.
if [ "$(nproc)" -ge 2 ]; then
	jobs=$((jobs + 1))
	# shellcheck disable=SC2016,SC2086 # the task's own variable; several words
	timeout 120 flux start flux run -n2 $plugin --taskmap=stowplan:core -o stowplan.bind-to=core \
		sh -c 'echo $FLUX_TASK_RANK $(sed -n "s/^Cpus_allowed_list:[[:space:]]*//p" /proc/self/status)' | sort >bound
	if [ "$(awk '{ print $2 }' bound | sort -u | grep -c .)" -eq 2 ] && [ "$(wc -l <bound)" -eq 2 ]; then
		say "ok     flux: two tasks on two cores: $(paste -sd' ' bound)"
	else
		say "DIFFER flux: two tasks on two cores: $(cat bound)"
		failed=$((failed + 1))
	fi
fi
done_with flux
