import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { edit, gen, genHere, type Workspace, workspace } from '../helpers/gen.ts';

const variant = 'scale.t64-e3b0';

function commandOf(place: Workspace, ...flags: string[]) {
  const fixed = ['--arch', 'sm_90a', '--out', place.out];
  return ['mutate', variant, ...fixed, '--operator', 'branch-dropped', ...flags];
}

const mutate = (place: Workspace, ...flags: string[]) => genHere(place.path, commandOf(place, ...flags));

/** In a process of its own, which reads the template as it is by then and says all that it says. */
const mutateAnew = (place: Workspace, ...flags: string[]) => gen(place.path, commandOf(place, ...flags));

function planted(place: Workspace): void {
  edit(join(place.family, 'scale.cu.hbs'), (text) =>
    text.replace('args.y[i] = value;', 'if (args.count > 100000) value = 0;\n    args.y[i] = value;'),
  );
}

describe('gen mutate', { timeout: 280_000 }, () => {
  it('reports what no case of the gate reaches as survived, and a lower score than before as a failure', async () => {
    const place = workspace();
    const floor = join(place.path, 'floor.json');
    const before = await mutate(place, '--floor', floor, '--update-floor');
    expect(before).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(floor, 'utf8'))).toMatchObject({ defects: 1, killed: 1, depth: 'quick' });

    planted(place);
    const after = await mutateAnew(place, '--floor', floor);
    expect(after.code).toBe(1);
    expect(after.stderr).toContain('the score dropped: 1 of 2 killed; 1 of 1 on');
    expect(after.stdout).toContain('- if (args.count > 100000) value = 0;\n+ if (false) value = 0;');
    expect(after.stdout).toContain('| killed in tier | out-of-bounds |');

    const document = join(place.path, 'gate.md');
    const again = await mutateAnew(place, '--resume', '--markdown', document, '--depth', 'full');
    expect(again).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(document, 'utf8')).toContain('2 of 2 mutants');
    expect(again.stderr.match(/^\d+: /gm)).toHaveLength(1); // the survivor alone, deeper

    // Nothing is known to pass where there was no time to see: what the results are of stays.
    const [newest = ''] = readdirSync(join(place.out, 'mutants')).toSorted().toReversed();
    const heading = () => readFileSync(join(place.out, 'mutants', newest), 'utf8').split('\n')[0];
    const heard = heading();
    await mutateAnew(place, '--resume', '--seconds', '0');
    expect(heading()).toBe(heard);

    const told = await mutateAnew(place, '--resume', '--retry', '--seconds', '0');
    expect(told.stdout).toContain('2 of 2 mutants'); // nothing is begun: what is known is reported
    expect(told.stderr).not.toMatch(/^\d+: /m);
  });

  it('lists the mutants of one file, and names the files where there are none of it', async () => {
    const place = workspace();
    const ofSource = await mutateAnew(place, '--list', '--file', 'scale.cu');
    expect(ofSource.stdout).toContain(' scale.cu:');
    const unknown = await mutateAnew(place, '--list', '--file', 'tw/other.cuh');
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toMatch(/no mutants of tw\/other\.cuh; choose from .*\bscale\.cu\b/);
  });

  it('lists single mutants, by the first digits of their ids', async () => {
    const place = workspace();
    const idsOf = ({ stdout }: { readonly stdout: string }) => stdout.match(/\b[0-9a-f]{12}\b/g) ?? [];
    planted(place);
    const [first = '', second = ''] = idsOf(await mutateAnew(place, '--list'));
    expect(second).not.toBe('');
    expect(idsOf(await mutateAnew(place, '--list', '--mutant', first.slice(0, 8)))).toEqual([first]);
    const unknown = await mutateAnew(place, '--list', '--mutant', 'none');
    expect(unknown).toMatchObject({ code: 2 });
    expect(unknown.stderr).toContain('none whose id begins with none');
  });

  it('finds that a correct kernel passes under every seed, and one that does not has no mutants', async () => {
    const place = workspace();
    const alarms = await mutateAnew(place, '--alarms', '6', '--seed', '4');
    expect(alarms).toMatchObject({ code: 0 });
    expect(alarms.stdout).toContain('0 false alarms in 6 runs of 1 correct variants');
    const wrong = await genHere(place.path, [
      'mutate',
      'scale.t128.wrong-370c',
      '--arch',
      'sm_90a',
      '--out',
      place.out,
    ]);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('no variant passes as it is');
  });

  it('tries what is argued about one variant in the others again', async () => {
    const place = workspace();
    const branch = 'if (blockDim.x > 64) value *= args.alpha;';
    edit(join(place.family, 'scale.cu.hbs'), (text) =>
      text.replace(
        'float value = args.alpha * args.x[i];',
        `float value = args.x[i];\n    ${branch}\n    if (blockDim.x <= 64) value *= args.alpha;`,
      ),
    );
    mkdirSync(join(place.family, 'mutation'));
    const argument = { path: 'scale', before: branch, after: 'if (false) value *= args.alpha;' };
    writeFileSync(
      join(place.family, 'mutation/equivalents.json'),
      JSON.stringify([
        {
          ...{ ...argument, variants: [variant], reviewed: '2026-11-26' },
          argument: 'Blocks have 64 threads in this variant.',
        },
      ]),
    );
    const alone = await mutateAnew(place);
    expect(alone.stderr).toMatch(/^\d: argued /m);
    const [command = '', , ...flags] = commandOf(place, '--resume', '--retry');
    const all = await gen(place.path, [
      command,
      'scale',
      '--where',
      "defect == 'sound' && threads <= 128 && perThread == 1",
      ...flags,
    ]);
    expect(all.stderr).toMatch(/^1: killed wrong /m);
    expect(all.stdout).toContain('1 of them in another variant of the path than the first');
  });

  it('asks the acceptance rules of other projects about one case', async () => {
    const place = workspace();
    planted(place);
    const { stdout } = await mutate(place, '--rules', 'ragged');
    expect(stdout).toMatch(/this gate \| 1 \(50\.0 %\)/);
    // A store behind the end leaves every element as it should be.
    expect(stdout).toMatch(/CUTLASS profiler \| 0 \(0\.0 %\)/);
    const again = await mutate(place, '--resume', '--retry');
    expect(again.stderr).toMatch(/^1: survived/m);
    expect(again.stdout).toMatch(/this gate \| 1 \(50\.0 %\)/); // what the rules said is kept
    expect(again.stdout).toContain('survivors again');
  });
});
