import { describe, expect, test } from 'vitest';
import { badEnd, blameMachine, cureOf, diagnose } from '../../../src/compile/diagnosis.ts';
import { EnvironmentError } from '../../../src/errors.ts';
import type { RunResult } from '../../../src/exec/executor.ts';

function failed(stderr: string): RunResult {
  return { exitCode: 1, stdout: '', stderr, seconds: 1, timedOut: false };
}

describe('a passing fault of the machine is no answer', () => {
  test.each([
    [
      "g++: fatal error: cannot execute '/usr/lib/cc1plus': vfork: Resource temporarily unavailable\ncompilation terminated.",
      'raise `ulimit -u` or lower --jobs',
    ],
    ['sh: 1: Cannot fork', 'raise `ulimit -u` or lower --jobs'],
    ['cc1plus: fatal error: /x/kernel.cu: Too many open files', 'raise `ulimit -n` or lower --jobs'],
    ['/x/kernel.cu:12:10: fatal error: args.h: Input/output error', 'see to the disk'],
    ['/x/kernel.cu:12:10: fatal error: args.h: Stale file handle', 'see to the disk'],
    ['sh: 1: /x/nvcc: Text file busy', 'wait until the compiler is installed'],
  ])('%s', (said, cure) => {
    expect(badEnd(failed(said))).toBe('system');
    expect(cureOf(failed(said))).toBe(cure);
  });

  test('nor is it a crash where it aborts a part of the compiler', () => {
    const aborted = (what: string) =>
      badEnd({
        ...failed(`terminate called after throwing an instance of 'std::exception'\n  what():  ${what}`),
        endedBy: 'SIGABRT',
      });
    expect(aborted('Resource temporarily unavailable')).toBe('system');
    expect(aborted('std::bad_alloc')).toBe('memory');
    expect(aborted('out of range')).toBe('crash');
  });
});

describe("an author's words are none about the machine", () => {
  const words = [
    'a tile of this size runs out of memory',
    'No space left on device for the tile',
    'the tile could not be opened: Input/output error',
  ];
  const ways: [string, (words: string) => string][] = [
    [
      "g++'s static_assert",
      (one) =>
        `/x/kernel.cu:2:38: error: static assertion failed: ${one}\n    2 |   static_assert(TILE <= 256, "${one}");\n      |                 ~~~~~^~~~~~`,
    ],
    [
      "nvcc's static_assert",
      (one) =>
        `/x/kernel.cu(2): error: static assertion failed with "${one}"\n    static_assert(TILE <= 256, "${one}");\n    ^\n\n1 error detected in the compilation of "/x/kernel.cu".`,
    ],
    ['#error', (one) => `/x/kernel.cu:3:2: error: #error "${one}"\n    3 | #error "${one}"\n      |  ^~~~~`],
    [
      'a comment that is quoted',
      (one) =>
        `/x/kernel.cu:3:16: error: 'j' was not declared in this scope\n    3 |   y[j] = 1; // ${one}\n      |     ^`,
    ],
  ];
  const all = ways.flatMap(([way, said]) => words.map((one) => [way, one, said(one)] as const));

  test.each(all)('%s: %s', (_, one, said) => {
    expect(badEnd(failed(said))).toBeUndefined();
    expect(() => blameMachine(said)).not.toThrow();
    expect(diagnose(failed(said))).toMatchObject({ verdict: 'compile' });
    expect(one).not.toBe('');
  });

  test('a full disk is seen beside them', () => {
    const said = `/x/kernel.cu:3:2: error: #error "out of memory"\nfatal error: error writing to /tmp/x.s: No space left on device`;
    expect(() => blameMachine(said)).toThrow(EnvironmentError);
    expect(() => blameMachine(said)).toThrow(
      /no space left on the disk; free some \(fatal error: error writing/,
    );
  });
});
