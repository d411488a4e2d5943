/**
 * Runs "$@" and leaves its exit code in the run folder given as $1. It is all that stays between us and an agent, so a
 * restarted host finds the result of an agent that ended while nobody watched.
 *
 * - Signals are caught, not ignored: what is ignored stays ignored in the agent, what is caught does not. So a TERM to
 *   the group ends the agent while the shim lives on to write the code.
 * - The shell would export a PWD of its own making; the agent gets the environment it was given and nothing else.
 * - A block for the code is taken before the agent can fill the disk, and at the end overwritten, not given back first.
 * - Where the rename fails, for want of a process or of mv, the code is written in place: readers want the newline.
 */
export const SHIM_SCRIPT = `
ralph_shim_dir=$1
shift
trap : HUP INT QUIT TERM
echo "$$" >"$ralph_shim_dir/pid"
echo >"$ralph_shim_dir/exit.tmp"
"$@"
ralph_shim_code=$?
{
  echo "$ralph_shim_code" 1<>"$ralph_shim_dir/exit.tmp" &&
    PATH=/bin:/usr/bin\${PATH:+:$PATH} mv -f "$ralph_shim_dir/exit.tmp" "$ralph_shim_dir/exit" ||
    echo "$ralph_shim_code" >"$ralph_shim_dir/exit"
} 2>/dev/null
exit "$ralph_shim_code"
`;

/** Stands in for a command that cannot be run, so that this too ends in an exit code and a line in the log. */
export const REFUSAL_SCRIPT = 'printf "%s: %s\\n" "$1" "$2" >&2; exit "$3"';
