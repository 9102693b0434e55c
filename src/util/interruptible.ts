import { setImmediate } from 'node:timers/promises';
import { Script } from 'node:vm';
import { errorCode } from './disk.ts';

const slot = Symbol.for('tilewright.interruptible');
const script = new Script(`globalThis[Symbol.for('tilewright.interruptible')]()`);

/** Signals of `kill` and of a closed terminal. */
const endings = ['SIGTERM', 'SIGHUP'] as const;

/**
 * Calls code of others that may never return: an endless loop in a family's function. Where this process handles signals, its
 * handlers could not run meanwhile. Here Ctrl-C ends the call, then the handler is told. SIGTERM and SIGHUP end the process, as
 * SIGKILL would: the guard kills and removes what it leaves, and its journal can be resumed. Costs a tenth of a millisecond.
 */
export async function interruptible<T>(task: () => T): Promise<T> {
  if (process.listenerCount('SIGINT') === 0) return task(); // signals end the process
  await setImmediate(); // a signal that has come is told to its handler: Node forgets it with the last one
  const handlers = endings.map((name) => ({ name, all: process.rawListeners(name) as (() => void)[] }));
  for (const { name } of handlers) process.removeAllListeners(name);
  const place: { [slot]?: () => T } = globalThis as object;
  place[slot] = task;
  try {
    return script.runInThisContext({ breakOnSigint: true }) as T;
  } catch (error) {
    if (errorCode(error) === 'ERR_SCRIPT_EXECUTION_INTERRUPTED') process.emit('SIGINT', 'SIGINT');
    throw error;
  } finally {
    for (const { name, all } of handlers) for (const handler of all) process.on(name, handler);
  }
}
