import { spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fastGlob from 'fast-glob';
import { describe, expect, test } from 'vitest';
import { archNamed, archOf, archs, runsOn } from '../../../src/arch/index.ts';
import { EnvironmentError } from '../../../src/errors.ts';
import { findCycle } from '../../../src/util/cycle.ts';
import { diskError, makeFolder, onDisk, rewriteFile } from '../../../src/util/disk.ts';
import { hashOf } from '../../../src/util/hash.ts';
import { mapLimit, Slots } from '../../../src/util/limit.ts';
import { packageRoot } from '../../../src/util/package-root.ts';
import { Pool } from '../../../src/util/pool.ts';
import { median } from '../../../src/util/stats.ts';
import { Stopwatch } from '../../../src/util/stopwatch.ts';
import { didYouMean } from '../../../src/util/suggest.ts';
import { atMostEvery } from '../../../src/util/throttle.ts';
import { folderOf } from '../../helpers/folder.ts';

test('hashOf tells its parts apart', () => {
  expect(hashOf('ab')).not.toBe(hashOf('a', 'b'));
  expect(hashOf('a', 'b')).toBe(hashOf('a', new Uint8Array([98])));
});

describe('mapLimit', () => {
  test('keeps the order and the limit', async () => {
    let running = 0;
    let most = 0;
    const results = await mapLimit([30, 10, 20, 0], 2, async (ms) => {
      most = Math.max(most, ++running);
      await sleep(ms);
      running--;
      return ms;
    });
    expect(results).toEqual([30, 10, 20, 0]);
    expect(most).toBe(2);
  });

  test('after a failure begins nothing more, and waits for what runs', async () => {
    const begun: number[] = [];
    const ended: number[] = [];
    const mapping = mapLimit([1, 2, 3, 4], 2, async (item) => {
      begun.push(item);
      if (item === 1) throw new Error('one');
      await sleep(20);
      ended.push(item);
    });
    await expect(mapping).rejects.toThrow('one');
    expect(begun).toEqual([1, 2]);
    expect(ended).toEqual([2]);
  });
});

test('a limit beyond all reason takes no longer', async () => {
  const begun = performance.now();
  const items = Array.from({ length: 20 }, (_, index) => index);
  expect(await mapLimit(items, 999_999_999, async (item) => item)).toEqual(items);
  const slots = new Slots(999_999_999);
  await Promise.all(items.map((item) => slots.run(() => sleep(item % 3))));
  await slots.alone(() => sleep(0));
  expect(performance.now() - begun).toBeLessThan(1000);
});

test('folders are made by makeFolder: the recursive mkdir of Node never returns below /proc', () => {
  const sources = fastGlob.sync('src/**/*.ts', { cwd: packageRoot });
  const using = sources.filter((file) =>
    /mkdir(Sync)?\([^;]*recursive/.test(readFileSync(join(packageRoot, file), 'utf8')),
  );
  expect(using).toEqual([]);
  expect(() => makeFolder('/proc/none/below')).toThrow(/ENOENT/);
});

test('a task that is to run alone waits for the others, and those that come later for it', async () => {
  const slots = new Slots(2);
  const order: string[] = [];
  const task = (name: string) => async () => {
    order.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, 5));
    order.push(`${name} ends`);
  };
  await Promise.all([
    slots.run(task('a')),
    slots.alone(task('b')),
    slots.run(task('c')),
    slots.run(task('d')),
  ]);
  expect(order).toEqual([
    ...['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'd begins', 'c ends', 'd ends'],
  ]);
});

test('Slots serve in the order of asking, and are given back after a failure', async () => {
  const slots = new Slots(1);
  const order: number[] = [];
  const failing = slots.run(async () => {
    await sleep(5);
    throw new Error('no');
  });
  const others = [1, 2].map((n) => slots.run(async () => order.push(n)));
  await expect(failing).rejects.toThrow('no');
  await Promise.all(others);
  expect(order).toEqual([1, 2]);
});

test('Pool opens as many as are needed at once, lends them again and closes all', async () => {
  let opened = 0;
  let closed = 0;
  const pool = new Pool(2, async () => ({ id: ++opened, close: () => closed++ }));
  await pool.use(async () => {});
  await pool.use(async () => {});
  expect(opened).toBe(1);
  await Promise.all([1, 2, 3].map(() => pool.use(() => sleep(5))));
  expect(opened).toBe(2);
  await pool.close();
  expect(closed).toBe(2);
});

test('Pool lets those who wait try to open where an opening has failed', async () => {
  let asked = 0;
  const pool = new Pool(1, async () => {
    if (++asked === 1) throw new Error('no');
    return { close: () => {} };
  });
  const [first, second] = await Promise.allSettled([1, 2].map((n) => pool.use(async () => n)));
  expect(first?.status).toBe('rejected');
  expect(second).toEqual({ status: 'fulfilled', value: 2 });
});

test('didYouMean finds a name by its beginning, a slip or two swapped letters, and nothing far away', () => {
  const names = ['threads', 'vector', 'path'];
  expect(['thr', 'vektor', 'ptah', 'Path', 'ab', 'swizzle'].map((name) => didYouMean(name, names))).toEqual([
    "; did you mean 'threads'?",
    "; did you mean 'vector'?",
    "; did you mean 'path'?",
    "; did you mean 'path'?",
    '',
    '',
  ]);
});

test('Stopwatch counts a stage once while several of its tasks run', async () => {
  let now = 0;
  const watch = new Stopwatch(() => now);
  const release: (() => void)[] = [];
  const task = () => watch.measure('compile', () => new Promise<void>((resolve) => release.push(resolve)));
  const tasks = [task(), task()];
  now = 1000;
  release[0]?.();
  await tasks[0];
  now = 3000;
  release[1]?.();
  await tasks[1];
  now = 4000;
  expect(watch.seconds()).toEqual({ compile: 3, total: 4 });
});

test('atMostEvery passes on what comes when its time has passed, and drops the rest', () => {
  let now = 0;
  const told: number[] = [];
  const tell = atMostEvery(
    5,
    (value: number) => told.push(value),
    () => now,
  );
  for (const seconds of [1, 4, 5, 6, 9, 10.5]) {
    now = seconds * 1000;
    tell(seconds);
  }
  expect(told).toEqual([5, 10.5]);
});

test.each(['ENOSPC', 'EROFS', 'EACCES', 'ENOENT', 'EISDIR', 'ENOTDIR', 'EEXIST'])(
  "%s is the machine's fault",
  (code) => {
    const failing = () =>
      onDisk('write /x', () => {
        throw Object.assign(new Error(code), { code });
      });
    expect(failing).toThrow(EnvironmentError);
    expect(failing).toThrow(/^cannot write \/x: /);
  },
);

test.each([
  ['write /x', 'ENOSPC', 'there is no space left on the disk; free some, or name another folder with --out'],
  ['write /x', 'EMFILE', 'too many files are open; raise `ulimit -n` or lower --jobs'],
  [
    'create /x',
    'ENOENT',
    'there is no such file or folder, or the file system is read-only; name another folder with --out',
  ],
  ['read /x', 'ENOENT', 'there is no such file or folder'],
  ['read /x', 'EACCES', 'permission is denied'],
])('cannot %s, %s: says what helps there', (doing, code, says) => {
  const failing = () => {
    throw Object.assign(new Error(code), { code });
  };
  expect(() => onDisk(doing, failing)).toThrow(new EnvironmentError(`cannot ${doing}: ${says}`));
});

test('what is not in the folder of --out says what else names its place', () => {
  const refused = Object.assign(new Error('refused'), { code: 'EACCES' });
  const error = diskError(refused, 'write p.md', 'name another file with --markdown');
  expect(error).toEqual(
    new EnvironmentError('cannot write p.md: permission is denied; name another file with --markdown'),
  );
});

test('any other failure of a file operation stays what it is', () => {
  const bug = new TypeError('bug');
  expect(() =>
    onDisk('write /x', () => {
      throw bug;
    }),
  ).toThrow(bug);
});

describe('archs', () => {
  test.each([
    [80, 'sm_80'],
    [86, 'sm_86'],
    [87, 'sm_86'],
    [89, 'sm_89'],
    [90, 'sm_90a'],
    [100, 'sm_100a'],
    [121, 'sm_120'],
    [75, undefined],
    [103, undefined],
  ])('code for a GPU of capability %d is %s', (capability, name) => {
    expect(archOf(capability)?.name).toBe(name);
  });

  test('are complete and say where their figures come from', () => {
    for (const arch of archs) {
      expect(arch.name).toMatch(new RegExp(`^sm_${arch.capability}a?$`));
      expect(arch.gencode).toBe(`arch=compute_${arch.name.slice(3)},code=${arch.name}`);
      expect(runsOn(arch, arch.capability)).toBe(true);
      expect(arch.sharedBytesPerSm - arch.maxSharedBytesPerBlock).toBe(arch.reservedSharedBytesPerBlock);
      expect(arch.source).toMatch(/column \d+\.\d$/);
    }
  });

  test('are the files of their folder', () => {
    const files = readdirSync(join(packageRoot, 'src/arch')).filter((file) => file !== 'index.ts');
    expect(files.toSorted()).toEqual(archs.map(({ name }) => `${name.replace('_', '')}.ts`).toSorted());
  });

  test.each([
    [80, 86, true],
    [86, 80, false],
    [90, 90, true],
    [90, 100, false],
    [120, 121, true],
  ])('code for %d on a GPU of %d: %s', (own, other, runs) => {
    const arch = archs.find(({ capability }) => capability === own);
    expect(arch && runsOn(arch, other)).toBe(runs);
  });

  test('an unknown name is answered with the known ones', () => {
    expect(() => archNamed('sm_90')).toThrow("there is no architecture 'sm_90': known are sm_80, sm_86");
  });
});

describe('median', () => {
  test.each([
    [[3], 3],
    [[4, 1, 2], 2],
    [[1, 2, 3, 100], 2.5],
  ])('of %j is %f', (values, middle) => {
    expect(median(values)).toBe(middle);
  });

  test('of nothing is no number', () => {
    expect(median([])).toBeNaN();
  });
});

test.each([
  ['none', { a: ['b', 'c'], b: ['c'] }, undefined],
  ['one', { a: ['b'], b: ['c'], c: ['b'] }, ['b', 'c', 'b']],
  ['one of itself', { a: ['a'] }, ['a', 'a']],
])('findCycle finds %s', (_, next, cycle) => {
  expect(findCycle(new Map(Object.entries(next)))).toEqual(cycle);
});

test('a file that a user named is written whole or not at all, and keeps its permissions and its link', () => {
  const folder = folderOf({ 'page.md': 'before\n' });
  const [path, link] = [join(folder, 'page.md'), join(folder, 'link.md')];
  chmodSync(path, 0o640);
  symlinkSync('page.md', link);
  const disk = JSON.stringify(join(packageRoot, 'dist/util/disk.js'));
  const script = `import { rewriteFile } from ${disk}; rewriteFile(process.argv[1], 'x'.repeat(1 << 20));`;
  const limited = ['ulimit -f 1; exec "$@"', 'bash', process.execPath, '--input-type=module', '-e', script];
  const child = spawnSync('bash', ['-c', ...limited, path], { encoding: 'utf8' });
  expect(child.stderr).toContain('EFBIG');
  expect(readFileSync(path, 'utf8')).toBe('before\n');
  expect(readdirSync(folder).toSorted()).toEqual(['link.md', 'page.md']);
  rewriteFile(link, 'after\n');
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(path, 'utf8')).toBe('after\n');
  expect(statSync(path).mode & 0o777).toBe(0o640);
});
