#!/bin/sh
# Slurm on nodes that this machine does not have: 64 nodes like Frontier's. HWLOC_SYNTHETIC describes them to the daemons, and
# affinity.c makes bindings succeed. srun itself prints on which node and to which mask it bound each task.
. "$(dirname "$0")/jobs.sh"
command -v cc >/dev/null || { say 'skipped: slurm-large: there is no C compiler'; exit 0; }
. "$here/slurm-cluster.sh"
machine='package:1 group:4 [numa] l3:2 l2:8 core:1 pu:2(indexes=2*64:1*2)'
STOWPLAN_SYNTHETIC=$machine
cluster 0 63 'CPUs=128 Boards=1 SocketsPerBoard=1 CoresPerSocket=64 ThreadsPerCore=2'

# Adds `verbose` to the script's --cpu-bind, so that srun prints the bindings.
slurm=$launcher
launcher=$work/verbose
cat >"$launcher" <<CALL
#!/bin/sh
for word in "\$@"; do
	shift
	case \$word in
	--cpu-bind=*) word=--cpu-bind=verbose,\${word#--cpu-bind=} ;;
	esac
	set -- "\$@" "\$word"
done
exec $slurm "\$@"
CALL
chmod +x "$launcher"

# Each task prints its rank, node and local number. srun prints the binding: "cpu-bind=MASK - n0, task 12 4 [77]: mask 0x3 set",
# where 4 is the local number. (12 counts within the part of a het step.) Together they give the lines of probe.
cat >"$work/task" <<'CALL'
#!/bin/sh
echo "$SLURM_PROCID $SLURMD_NODENAME $SLURM_LOCALID"
CALL
chmod +x "$work/task"
probed() {
	awk '
	BEGIN { for (digit = 0; digit < 16; digit++) value[substr("0123456789abcdef", digit + 1, 1)] = digit }
	function cpus(mask,    list, place, digit, bit) {
		for (place = length(mask); place > 0; place--) {
			digit = value[substr(mask, place, 1)]
			for (bit = 0; bit < 4; bit++) {
				if (digit % 2) list = list (list == "" ? "" : ",") (length(mask) - place) * 4 + bit
				digit = int(digit / 2)
			}
		}
		return list
	}
	/^cpu-bind/ {
		for (word = 1; word < NF; word++) {
			if ($word == "-") node = $(word + 1)
			if ($word == "task") place = $(word + 2)
			if ($word == "mask") mask = tolower(substr($(word + 1), 3))
		}
		sub(",", "", node)
		bound[node, place] = mask
		next
	}
	FILENAME == "told" {
		list = bound[$2, $3] == "" ? "-" : cpus(bound[$2, $3])
		print $1 "\t" $2 "\t" list "\t-\tSLURM_PROCID,SLURMD_NODENAME,srun,-"
	}' errors told
}

large srun -H 'n[0-63]:16' -n 1024 --map-by numa:pe=2
large srun -H 'n[0-63]:16' -n 1024 --map-by node:pe=2
large srun -H 'n[0-63]:16' -n 1024 --map-by ppr:2:l3cache:pe=4
large srun -H 'n[0-63]:64' -n 4096 --map-by l3cache --rank-by span
large srun -H 'n[0-63]:8' -n 500 --map-by numa --bind-to numa
large srun -H 'n[0-31]:8,n[32-63]:4' -n 300 --map-by core --bind-to hwthread
done_with 'slurm, 64 nodes like those of Frontier'
