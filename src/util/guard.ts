import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';

/**
 * A shell that outlives this process by a moment and kills and removes what it left: it reads `+ <group>` and `- <group>`,
 * `make <folder>` and `gone <folder>`, and does so with those that are left when its input ends. The kernel ends the input
 * when this process dies, by whatever signal. A group leads a session too, and what is left of that is killed with it: ninja
 * puts each of its compilers into a group of its own.
 */
const guardScript = `line='
'
groups=$line
folders=$line
while read -r word one; do
  case "$word" in
    +) groups="$groups$one$line" ;;
    -) case "$groups" in *"$line$one$line"*) groups="\${groups%%"$line$one$line"*}$line\${groups#*"$line$one$line"}" ;; esac ;;
    make) folders="$folders$one$line" ;;
    gone) case "$folders" in *"$line$one$line"*) folders="\${folders%%"$line$one$line"*}$line\${folders#*"$line$one$line"}" ;; esac ;;
  esac
done
IFS=$line
for one in $groups; do kill -KILL "-$one"; done
unset IFS
for round in 1 2; do
  for file in /proc/[0-9]*/stat; do
    { read -r all <"$file"; } 2>/dev/null || continue
    set -- \${all##*) }
    one=\${file#/proc/}
    case "$groups" in *"$line$4$line"*) kill -KILL "\${one%/stat}" ;; esac
  done
done
IFS=$line
set -f
for one in $folders; do rm -rf -- "$one" || { sleep 1; rm -rf -- "$one"; }; done`;

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

/** Kills a process group and what else belongs to the session that its leader leads; false where there is nothing of it. */
export function killSession(leader: number): boolean {
  const found = kill(-leader);
  for (let round = 0; round < 2; round++) for (const pid of membersOf(leader)) kill(pid);
  return found;
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false; // already gone
  }
}

/** Processes of a session, by Linux's /proc. */
function membersOf(session: number): number[] {
  if (!existsSync('/proc/self/stat')) return [];
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return processes.map(Number).filter((pid) => sessionOf(pid) === session);
}

function sessionOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[3]);
  } catch {
    return undefined; // it has ended
  }
}

/** Says that a process group has ended: its number may be another's from now on. */
export function forgetGroup(pid: number): void {
  guard?.stdin.write(`- ${pid}\n`);
}

/** Has a folder removed when this process ends, however it does: one of its own that nobody else uses. */
export function guardFolder(path: string): void {
  if (!path.includes('\n')) guardInput().write(`make ${resolve(path)}\n`);
}

/** Says that such a folder has been removed. */
export function forgetFolder(path: string): void {
  guard?.stdin.write(`gone ${resolve(path)}\n`);
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
