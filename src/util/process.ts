import { errorCode } from './disk.ts';

/** Whether a process of this number runs on this machine, ours or another user's. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
