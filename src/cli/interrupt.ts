import { endProcess, exitCode } from './exit.ts';

/** Ctrl-C, SIGTERM and SIGHUP as an abort signal. A second one ends the process at once. */
export function onInterrupt(): {
  readonly signal: AbortSignal;
  /** Rejects when it happens. */
  readonly happened: Promise<never>;
  release(): void;
} {
  const controller = new AbortController();
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  let stop: (reason: Error) => void = () => {};
  const happened = new Promise<never>((_, reject) => {
    stop = reject;
  });
  happened.catch(() => {});
  const handle = () => {
    if (controller.signal.aborted) endProcess(exitCode.interrupted);
    const reason = new Error('interrupted');
    controller.abort(reason);
    stop(reason);
  };
  for (const name of names) process.on(name, handle);
  return {
    signal: controller.signal,
    happened,
    release: () => {
      for (const name of names) process.off(name, handle);
    },
  };
}
