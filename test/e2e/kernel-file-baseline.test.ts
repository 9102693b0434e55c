// `validate x.cu --baseline`: what is known does not fail, what is new does, what is gone is named.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { genHere, workspace } from '../helpers/gen.ts';

const description = (kernel: string) =>
  `- { kernel: ${kernel}, sizes: { n: 64 }, arguments: { out: [n] }, grid: 1, block: 64, ragged: false }\n`;
const racing =
  '__global__ void racing(float* out, int n) {\n  __shared__ float s[64];\n  s[threadIdx.x] = n;\n  out[threadIdx.x] = s[63 - threadIdx.x];\n}\n';
const overrun = '__global__ void overrun(float* out, int n) {\n  out[threadIdx.x + 1] = n;\n}\n';
const right = '__global__ void overrun(float* out, int n) {\n  out[threadIdx.x] = n;\n}\n';

test('a baseline keeps what is known from failing', { timeout: 300_000 }, async () => {
  const own = mkdtempSync(join(tmpdir(), 'tilewright-check-'));
  onTestFinished(() => rmSync(own, { recursive: true, force: true }));
  const say = async (kernels: string, ...more: string[]) => {
    const text = `/* tilewright\n${description('racing')}${description('overrun')}*/\n${kernels}`;
    writeFileSync(join(own, 'x.cu'), text);
    return genHere(own, ['validate', 'x.cu', '--baseline', 'known.json', '--out', workspace().out, ...more]);
  };
  const first = await say(racing + right);
  expect(first.code).toBe(0);
  expect(first.stderr).toMatch(/known\.json written: \d+ known findings/);
  const moved = await say(`// a comment\n\n${racing}${right}`, '--sarif', 's.json', '--junit', 'j.xml');
  expect(moved.code).toBe(0);
  expect(moved.stdout).toContain('racing: race, known');
  expect(JSON.parse(readFileSync(join(own, 's.json'), 'utf8')).runs[0].results[0].suppressions).toEqual([
    { kind: 'external' },
  ]);
  expect(readFileSync(join(own, 'j.xml'), 'utf8')).toContain('<skipped message="known: ');
  const worse = await say(racing + overrun);
  expect(worse.code).toBe(1);
  expect(worse.stdout).toContain('overrun: out-of-bounds');
  const mended = await say(racing.replace('  out[', '  __syncthreads();\n  out[') + right);
  expect(mended.code).toBe(0);
  expect(mended.stderr).toContain('known.json: no longer found in racing: race');
  writeFileSync(join(own, 'known.json'), '{}');
  expect((await say(racing)).stderr).toContain('known.json is no baseline of validate');
});

test('files of a check are named by their options, and written whole', { timeout: 300_000 }, async () => {
  const own = mkdtempSync(join(tmpdir(), 'tilewright-check-'));
  onTestFinished(() => rmSync(own, { recursive: true, force: true }));
  writeFileSync(join(own, 'x.cu'), `/* tilewright\n${description('overrun')}*/\n${right}`);
  const say = (...more: string[]) => genHere(own, ['validate', 'x.cu', '--out', workspace().out, ...more]);
  for (const option of ['baseline', 'junit', 'sarif']) {
    const { code, stderr } = await say(`--${option}`, 'none/file');
    expect(stderr).toMatch(
      new RegExp(`^error: cannot write none/file: .*; name another file with --${option}$`, 'm'),
    );
    expect(code).toBe(2);
  }
  const files = { 'j.xml': '<testsuites', 's.json': '"runs"' };
  for (const name of Object.keys(files)) writeFileSync(join(own, name), 'former');
  const numberOf = (name: string) => statSync(join(own, name)).ino;
  const before = Object.keys(files).map(numberOf);
  expect((await say('--junit', 'j.xml', '--sarif', 's.json')).code).toBe(0);
  for (const [name, text] of Object.entries(files))
    expect(readFileSync(join(own, name), 'utf8')).toContain(text);
  // Others took their places: a full disk would have left the former ones.
  for (const [i, name] of Object.keys(files).entries()) expect(numberOf(name)).not.toBe(before[i]);
});
