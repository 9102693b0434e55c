import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

/**
 * A shell that outlives this process by a moment and kills what it left. It reads `+ <group>` and `- <group>`, and kills the
 * groups that are left when its input ends. The kernel ends the input when this process dies, by whatever signal.
 */
const guardScript = `groups=' '
while read -r sign group; do
  case "$sign$groups" in
    +*) groups="$groups$group " ;;
    -*" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -KILL "-$group"; done`;

/**
 * A command's first moments: it tells the guard its process group, so that no moment is left in which it could outlive us,
 * takes a limit on CPU seconds where one is given (SIGXCPU, and SIGKILL for who ignores that), and becomes the command.
 */
const wrapperScript = `(echo "+ $$" >&3) 2>/dev/null
exec 3>&-
[ "$1" = 0 ] || { ulimit -S -t "$1" && ulimit -H -t $(($1 + 5)); } 2>/dev/null
shift
exec "$@"`;

let guard: (ChildProcess & { readonly stdin: Writable }) | undefined;

/** The input of the guard, which is started where it does not run: file descriptor 3 of a wrapped command. */
export function guardInput(): Writable {
  if (guard === undefined || guard.exitCode !== null || guard.signalCode !== null) guard = startGuard();
  return guard.stdin;
}

/** A command line that the guard knows of from its first moment. `cpuSeconds`: a limit for each of its processes. */
export function wrap(argv: readonly string[], cpuSeconds: number | undefined): [string, ...string[]] {
  const limit = cpuSeconds === undefined ? 0 : Math.max(1, Math.ceil(cpuSeconds));
  return ['/bin/sh', '-c', wrapperScript, 'sh', String(limit), ...argv];
}

/** Says that a process group has ended: its number may be another's from now on. */
export function forgetGroup(pid: number): void {
  guard?.stdin.write(`- ${pid}\n`);
}

/** In a session of its own: what kills our group does not reach it. It does not keep this process from ending. */
function startGuard() {
  const child = spawn('/bin/sh', ['-c', guardScript], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.on('error', () => {}); // there is no shell: the commands themselves say so
  child.stdin.on('error', () => {});
  child.stdin.setMaxListeners(0); // every command that runs listens to it: as many as a machine has cores
  child.unref();
  const { stdin } = child;
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  return child;
}
