# What the scripts of this folder share. A script is run with the command's path: sh hydra.sh target/release/stowplan
set -eu
stowplan=$(realpath "${1:?the path of stowplan}")
here=$(cd "$(dirname "$0")" && pwd)
kept=${STOWPLAN_LAUNCHERS:-${TMPDIR:-/tmp}/stowplan-launchers}
mkdir -p "$kept"
work=$(mktemp -d)
failed=0
jobs=0

# say WHAT: a line of the report.
say() { printf '%s\n' "$*"; }

# python ENVIRONMENT PACKAGE...: a virtual environment with these packages, made once.
python() {
	[ -x "$kept/$1/bin/python" ] || python3 -m venv "$kept/$1"
	environment=$1
	shift
	"$kept/$environment/bin/pip" install -q "$@"
}

# job DIALECT WORDS...: places a job of probes, starts it by the script that is exported, compares.
job() {
	dialect=$1
	shift
	# The short check starts two jobs of each launcher.
	[ -z "${STOWPLAN_SHORT-}" ] || [ "$jobs" -lt 2 ] || return 0
	jobs=$((jobs + 1))
	cd "$work"
	"$stowplan" map --save job.plan "$@" >page
	"$stowplan" export "$dialect" job.plan >run.sh
	if ! STOWPLAN_LAUNCHER=$launcher sh run.sh >lines 2>errors; then
		say "FAILED $dialect: $*"
		cat errors
		failed=$((failed + 1))
	elif "$stowplan" check job.plan --live lines >answer 2>&1; then
		say "ok     $dialect, $(cat answer): $*"
	else
		say "DIFFER $dialect: $*"
		cat answer errors lines
		failed=$((failed + 1))
	fi
}

# done_with WHAT: the last line, and the status.
done_with() {
	say "$1: $jobs jobs, $failed failed"
	[ "$failed" -eq 0 ]
}
