#!/bin/sh
# The real libgomp of this machine and LLVM's libomp, shown machines that are not there (pretend.c): threads of random words and masks are
# compared with `stowplan threads`. CASES and SEED say how many cases, and which.
. "$(dirname "$0")/jobs.sh"
trap 'rm -rf "$work"' EXIT
cases=${CASES:-400}
seed=${SEED:-$(date +%s)}
command -v gcc >/dev/null || { say 'skipped: threads of the real OpenMP runtimes: gcc is not here'; exit 0; }
gcc -O1 -shared -fPIC "$here/pretend.c" -o "$work/pretend.so" -ldl
gcc -O1 -fopenmp "$here/threads.c" -o "$work/threads"

# machine DIR PACKAGES CORES THREADS ORDER: the files of a machine with so many cores a package, two NUMA nodes a package, an L3 each.
# ORDER is the numbers of cpus: `cores`, all first threads before the second ones, or `threads`, those of a core one after another.
machine() {
	awk -v dir="$1" -v packages="$2" -v cores="$3" -v threads="$4" -v order="$5" '
	function number(package, core, thread) {
		core += package * cores
		return order == "cores" ? thread * packages * cores + core : core * threads + thread
	}
	# Numbers of the cpus of cores from..to of a package.
	function list(package, from, to,    core, thread, text) {
		for (core = from; core <= to; core++)
			for (thread = 0; thread < threads; thread++)
				text = text (text == "" ? "" : ",") number(package, core, thread)
		return text
	}
	function put(path, text) { print text > (dir "/" path); close(dir "/" path) }
	BEGIN {
		devices = "sys/devices/system/"
		half = cores / 2
		for (package = 0; package < packages; package++)
			for (core = 0; core < cores; core++)
				for (thread = 0; thread < threads; thread++) {
					cpu = number(package, core, thread)
					from = core < half ? 0 : half
					at = devices "cpu/cpu" cpu
					command = command " " dir "/" at "/topology " dir "/" at "/cache/index0"
					path[cpu] = at
					core_list[cpu] = list(package, core, core)
					package_list[cpu] = list(package, 0, cores - 1)
					cache_list[cpu] = list(package, from, from + half - 1)
					words[cpu] = "processor\t: " cpu "\nphysical id\t: " package "\ncore id\t\t: " core "\n"
				}
		for (node = 0; node < 2 * packages; node++)
			command = command " " dir "/" devices "node/node" node
		make = "mkdir -p " dir "/proc" command
		print make | "sh"
		close("sh")
		for (cpu = 0; cpu < packages * cores * threads; cpu++) {
			put(path[cpu] "/topology/thread_siblings_list", core_list[cpu])
			put(path[cpu] "/topology/core_siblings_list", package_list[cpu])
			put(path[cpu] "/cache/index0/level", 3)
			put(path[cpu] "/cache/index0/shared_cpu_list", cache_list[cpu])
			info = info words[cpu] "\n"
		}
		put(devices "node/online", "0-" (2 * packages - 1))
		for (node = 0; node < 2 * packages; node++)
			put(devices "node/node" node "/cpulist", list(int(node / 2), node % 2 * half, node % 2 * half + half - 1))
		printf "%s", info > (dir "/proc/cpuinfo")
	}'
}

machine "$work/deep" 2 8 2 threads
machine "$work/wide" 2 8 2 cores
machine "$work/flat" 1 6 1 cores

# drawn RUNTIME: cases, a line each: machine, topology, cpus, mask, then the words NAME=VALUE, apart by tabs.
drawn() {
	awk -v cases="$cases" -v seed="$seed" -v runtime="$1" '
	function one(list,    parts) { return parts[1 + int(rand() * split(list, parts, " "))] }
	function below(n) { return int(rand() * n) }
	function place(    first, text) {
		first = one(mask_cpus)
		text = rand() < 0.5 ? "{" first "}" : "{" first ":" 1 + below(4) (rand() < 0.3 ? ":2" : "") "}"
		return text (rand() < 0.3 ? ":" 1 + below(4) ":" 1 + below(3) : "")
	}
	function places(    text, more) {
		if (rand() < 0.65)
			return one("cores cores threads sockets" (runtime == "gnu" ? " ll_caches numa_domains" : "")) (rand() < 0.3 ? "(" 1 + below(5) ")" : "")
		text = place()
		for (more = below(4); more > 0; more--)
			text = text "," place()
		return text
	}
	BEGIN {
		srand(seed)
		topology["deep"] = "package:2 numa:2 l3:1 core:4 pu:2"
		for (core = 0; core < 16; core++) numbers = numbers (core ? "," : "") core "," core + 16
		topology["wide"] = topology["deep"] "(indexes=" numbers ")"
		topology["flat"] = "package:1 numa:2 l3:1 core:3 pu:1"
		total["deep"] = total["wide"] = 32
		total["flat"] = 6
		for (number = 0; number < cases; number++) {
			name = one("deep wide flat")
			mask = mask_cpus = ""
			kept = 0.2 + 0.8 * rand()
			while (mask == "")
				for (cpu = 0; cpu < total[name]; cpu++)
					if (rand() < kept) {
						mask = mask (mask == "" ? "" : ",") cpu
						mask_cpus = mask_cpus " " cpu
					}
			line = name "\t" topology[name] "\t" total[name] "\t" mask
			if (rand() < 0.85) line = line "\tOMP_NUM_THREADS=" 1 + below(rand() < 0.8 ? 12 : 40)
			if (rand() < 0.7) line = line "\tOMP_PLACES=" places()
			if (rand() < 0.7) line = line "\tOMP_PROC_BIND=" one("true close spread primary master false close spread")
			if (rand() < 0.1) line = line "\tOMP_THREAD_LIMIT=" 1 + below(10)
			if (rand() < 0.1) line = line "\tGOMP_CPU_AFFINITY=" one(mask_cpus) "," one(mask_cpus) "-" total[name] - 1
			print line
		}
	}'
}

# compared RUNTIME FOLDER [WORD]: runs the cases with the library of the folder (none: the one linked) and the WORD in its environment
# besides. LLVM's library stands in the place of libgomp: with both, libgomp would bind the first thread.
compared() {
	runtime=$1
	library=$2
	beside=${3-}
	same=0
	different=0
	refused=0
	drawn "${runtime%@*}" >"$work/cases"
	tab=$(printf '\t')
	while IFS="$tab" read -r name topology cpus mask words; do
		IFS=$tab
		set -f
		asked=
		given=
		for word in $words; do
			asked="$asked$tab-x$tab$word"
			given="$given$tab$word"
		done
		# shellcheck disable=SC2086
		if "$stowplan" threads --topo "$topology" --cpus "$mask" --omp "$runtime" --format tsv $asked >"$work/rows" 2>"$work/why"; then
			cut -f 1,3 "$work/rows" | sed 1d >"$work/planned"
			# shellcheck disable=SC2086
			env -i $given $beside LD_PRELOAD="$work/pretend.so" ${library:+"LD_LIBRARY_PATH=$library"} PRETEND_ROOT="$work/$name" \
				PRETEND_CPUS="$cpus" PRETEND_MASK="$mask" "$work/threads" >"$work/real" 2>"$work/errors" || true
			if cmp -s "$work/planned" "$work/real"; then
				same=$((same + 1))
			else
				different=$((different + 1))
				say "DIFFER $runtime: --topo '$topology' --cpus $mask$asked"
				diff "$work/planned" "$work/real" | head -n 6
				head -n 3 "$work/errors"
			fi
		else
			refused=$((refused + 1))
			head -n 1 "$work/why" >>"$work/refusals"
		fi
		set +f
		unset IFS
	done <"$work/cases"
	[ "$same" -gt 0 ] || failed=$((failed + 1))
	jobs=$((jobs + same + different))
	failed=$((failed + different))
	say "$runtime: $same the same, $different different, $refused refused (seed $seed)"
}

compared gnu ''
# libomp of Debian 12, unpacked and not installed; told to read /proc/cpuinfo, for what CPUID answers is of the cpu that is there.
libomp=$kept/libomp/usr/lib/llvm-14/lib/libomp.so.5
if ! [ -e "$libomp" ]; then
	mkdir -p "$kept/libomp"
	(cd "$kept/libomp" && apt-get download -qq libomp5-14 && dpkg -x libomp5-14*.deb .) >"$work/told" 2>&1 || true
fi
if [ -e "$libomp" ]; then
	mkdir "$work/llvm"
	ln -s "$libomp" "$work/llvm/libgomp.so.1"
	compared llvm@14 "$work/llvm" KMP_TOPOLOGY_METHOD=cpuinfo
else
	say 'skipped: threads of the real libomp: the package libomp5-14 is not to be had'
fi
done_with openmp
