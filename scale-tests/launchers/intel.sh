#!/bin/sh
# Intel MPI's Hydra, from PyPI (proprietary licence): rank maps for hosts that need not exist, pins on this machine. Needs two cpus.
. "$(dirname "$0")/jobs.sh"
trap 'rm -rf "$work"' EXIT
python intel --no-deps impi-rt
mpiexec=$kept/intel/bin/mpiexec.hydra
export I_MPI_ROOT="$kept/intel" LD_LIBRARY_PATH="$kept/intel/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
"$mpiexec" --version 2>/dev/null | head -n 1
launcher=$work/launcher
cat >"$launcher" <<END
#!/bin/sh
exec '$mpiexec' -launcher fork "\$@"
END
chmod +x "$launcher"
host=$(hostname)
topology='--topo=core:2 pu:1'
job intel "$topology" -H "$host:2" -n 2 --map-by core "$stowplan" probe
job intel "$topology" -H "$host:2" -n 1 --map-by core "$stowplan" probe : -n 1 "$stowplan" probe
job intel "$topology" -H "$host:2" -n 2 --map-by core --bind-to none "$stowplan" probe

# ranks_on WORDS...: compares the map of ranks that Intel MPI prints for the script with the plan's own.
ranks_on() {
	[ -z "${STOWPLAN_SHORT-}" ] || return 0
	jobs=$((jobs + 1))
	cd "$work"
	"$stowplan" map --save job.plan "$@" >page
	"$stowplan" export intel job.plan >run.sh
	STOWPLAN_LAUNCHER=$work/printer sh run.sh >real 2>&1 || true
	sed -n 's/^(\([^:]*\):\([0-9,]*\))$/\1 \2/p' real | tr ',' ' ' |
		awk '{ for (at = 2; at <= NF; at++) print $at, $1 }' | sort -n >real.rows
	"$stowplan" show job.plan --format tsv | awk -F '\t' 'NR > 1 { print $1, $4 }' >planned.rows
	if [ -s real.rows ] && cmp -s real.rows planned.rows; then
		say "ok     intel, $(wc -l <real.rows) ranks by name: $*"
	else
		say "DIFFER intel: $*"
		cat real
		failed=$((failed + 1))
	fi
}
cat >"$work/printer" <<END
#!/bin/sh
exec timeout 20 '$mpiexec' -print-rank-map "\$@"
END
chmod +x "$work/printer"
ranks_on "$topology" -H a:2,b:2 -n 4 --map-by node --bind-to core ./x
ranks_on "$topology" -H a:2,b:2,c:2 -n 6 --map-by core ./x
done_with intel
