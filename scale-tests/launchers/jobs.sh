# Functions that the scripts of this folder share. Run a script with the command's path: sh hydra.sh target/release/stowplan
set -eu
stowplan=$(realpath "${1:?the path of stowplan}")
here=$(cd "$(dirname "$0")" && pwd)
kept=${STOWPLAN_LAUNCHERS:-${TMPDIR:-/tmp}/stowplan-launchers}
mkdir -p "$kept"
work=$(mktemp -d)
failed=0
jobs=0

# say WHAT: prints a line of the report.
say() { printf '%s\n' "$*"; }

# python ENVIRONMENT PACKAGE...: makes a virtual environment with these packages, once.
python() {
	[ -x "$kept/$1/bin/python" ] || python3 -m venv "$kept/$1"
	environment=$1
	shift
	"$kept/$environment/bin/pip" install -q "$@"
}

# probed: prints lines of probe from the output of a job in told and errors. A script whose tasks print something else redefines it.
probed() { cat told; }

# start DIALECT WORDS...: places a job, starts it with the exported script, and compares.
start() {
	dialect=$1
	shift
	jobs=$((jobs + 1))
	cd "$work"
	"$stowplan" map --save job.plan "$@" >page
	"$stowplan" export "$dialect" job.plan >run.sh
	if ! STOWPLAN_LAUNCHER=$launcher sh run.sh >told 2>errors; then
		say "FAILED $dialect: $*"
		head -20 errors
		failed=$((failed + 1))
	elif probed >lines && "$stowplan" check job.plan --live lines >answer 2>&1; then
		say "ok     $dialect, $(cat answer): $*"
	else
		say "DIFFER $dialect: $*"
		cat answer
		head -20 errors told lines
		failed=$((failed + 1))
	fi
}

# job DIALECT WORDS...: starts a job of probes. The short check starts two jobs of each launcher.
job() {
	[ -z "${STOWPLAN_SHORT-}" ] || [ "$jobs" -lt 2 ] || return 0
	start "$@"
}

# large DIALECT WORDS...: starts a job of the script's tasks on nodes like those of its machine.
large() {
	dialect=$1
	shift
	start "$dialect" --topo "$machine" "$@" "$work/task"
}

# done_with WHAT: prints the last line and gives the status.
done_with() {
	say "$1: $jobs jobs, $failed failed"
	[ "$failed" -eq 0 ]
}
