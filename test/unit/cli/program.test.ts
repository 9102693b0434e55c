import { expect, test } from 'vitest';
import { programOf } from '../../../src/cli/program.ts';

const { commands } = programOf(() => {});
const jsonOf = (name: string) =>
  commands.find((one) => one.name() === name)?.options.find(({ long }) => long === '--json')?.description;

test.each(['sweep', 'render', 'build', 'validate', 'time', 'select', 'emit'])(
  'gen %s --json is said to end as a run does',
  (name) => {
    expect(jsonOf(name)).toMatch(/; the last is `summary` or `error`$/);
  },
);

test.each(['list', 'show', 'why', 'doctor'])(
  'gen %s --json, which prints no summary, is not said to',
  (name) => {
    expect(jsonOf(name)).toBe('print JSON lines on stdout, each with `event`');
  },
);
