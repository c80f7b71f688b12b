#!/bin/sh
# Hydra of MPICH on nodes that this machine does not have: nodes like Frontier's, described by hwloc's own variables. Each rank
# prints its host, and Hydra prints the binding after the rank's number: "[3] process 1 binding: 0100…".
. "$(dirname "$0")/jobs.sh"
trap 'rm -rf "$work"' EXIT
python mpich mpich
machine='package:1 group:4 [numa] l3:2 l2:8 core:1 pu:2(indexes=2*64:1*2)'
launcher=$work/launcher
cat >"$launcher" <<END
#!/bin/sh
HWLOC_SYNTHETIC='$machine' HWLOC_THISSYSTEM=0 HYDRA_TOPO_DEBUG=1 exec '$kept/mpich/bin/mpiexec.hydra' -launcher fork -prepend-rank "\$@"
END
chmod +x "$launcher"
# mpiexec (5.0.2) dies of SIGPIPE if the first tasks end before the last proxy has been told what to start.
cat >"$work/task" <<'END'
#!/bin/sh
echo "host $PMI_HOSTNAME"
exec sleep 5
END
chmod +x "$work/task"

probed() {
	awk '
	$2 == "process" {
		list = ""
		for (cpu = 1; cpu <= length($5); cpu++) if (substr($5, cpu, 1) == "1") list = list (list == "" ? "" : ",") cpu - 1
		bound[$1] = list
	}
	$2 == "host" { node[$1] = $3 }
	END {
		for (rank in node) {
			number = substr(rank, 2, length(rank) - 2)
			print number "\t" node[rank] "\t" (bound[rank] == "" ? "-" : bound[rank]) "\t-\tPMI_RANK,PMI_HOSTNAME,hydra,-"
		}
	}' told
}

large hydra -H 'n[0-31]:16' -n 512 --map-by numa:pe=2
large hydra -H 'n[0-31]:16' -n 512 --map-by node:pe=2
large hydra -H 'n[0-31]:16' -n 512 --map-by ppr:2:l3cache:pe=4
large hydra -H 'n[0-15]:64' -n 1024 --map-by l3cache --rank-by span
large hydra -H 'n[0-31]:8' -n 250 --map-by numa --bind-to numa
large hydra -H 'n[0-15]:8,n[16-31]:4' -n 150 --map-by core --bind-to hwthread
done_with 'hydra, nodes like those of Frontier'
