import { describe, expect, test } from 'vitest';
import { buildManifest, describeOperation, gateDigest } from '../../../src/emit/manifest.ts';
import { manifestSchema } from '../../../src/model/manifest.ts';
import type { Verdict } from '../../../src/model/verdict.ts';
import { toyRequest, toyShipped, toyVerdicts } from '../../helpers/toy-library.ts';

describe('buildManifest', () => {
  const toy = describeOperation(toyRequest(), toyShipped(), '1.2.3');
  const manifest = buildManifest({ toy_op: toy, another: toy }, '1.2.3');

  test('is what its schema says, also after a trip through JSON', () => {
    expect(manifestSchema.parse(JSON.parse(JSON.stringify(manifest)))).toEqual(manifest);
  });

  test('lists the operations by name, in whatever order they came', () => {
    expect(Object.keys(manifest.operations)).toEqual(['another', 'toy_op']);
    expect(buildManifest({ another: toy, toy_op: toy }, '1.2.3')).toEqual(manifest);
  });

  test('the same operations give the same hash, another source another', () => {
    const hashOf = (text?: string) =>
      buildManifest({ toy_op: describeOperation(toyRequest(), toyShipped(text), '1.2.4') }, '1.2.4').hash;
    expect(hashOf()).toBe(buildManifest({ toy_op: toy }, '1.2.3').hash);
    expect(hashOf('// changed')).not.toBe(hashOf());
  });
});

describe('describeOperation', () => {
  const manifest = describeOperation(toyRequest(), toyShipped(), '1.2.3');

  test('carries the parameters with their comments', () => {
    expect(manifest.parameters.tileN).toEqual({
      label: 'tn',
      doc: 'Columns per CTA.',
      values: [32, 64, 128],
    });
  });

  test('names every kernel that a source exports, the main one first', () => {
    const [variant] = manifest.variants;
    expect(variant?.kernels).toEqual([variant?.symbol, `${variant?.symbol}_reduce`]);
  });

  test('says on whose word a variant is in, and how near the bound it came', () => {
    expect(manifest.variants[0]).toMatchObject({ gatedOn: ['cuda', 'emulated'], maxErrorOverBound: 0.75 });
  });

  test('an untimed selection is called untimed', () => {
    expect(manifest.untimed).toBe(true);
    expect(manifest.policy[0]).toMatchObject({ features: { n: 64 }, vendorFaster: false });
  });

  test('has the times of what it ships, relative to the fastest that was timed', () => {
    const [id = ''] = toyRequest().selection.variants;
    const timing = { name: 'w', features: { n: 64 }, source: 'run-1' };
    const timings = [
      { ...timing, times: { [id]: 3, gone: 2 } },
      { ...timing, times: { gone: 2 } },
    ];
    const selection = { ...toyRequest().selection, timings };
    expect(describeOperation({ ...toyRequest(), selection }, toyShipped(), '1.2.3').timings).toEqual([
      { ...timing, speeds: { [id]: 0.667 } },
    ]);
  });

  test('refuses a variant that the gate failed on some device', () => {
    const run = { ...toyRequest().run, verdicts: toyVerdicts({ emulated: 'race' }) };
    expect(() => describeOperation({ ...toyRequest(), run }, toyShipped(), '1.2.3')).toThrow(
      /verdict on emulated is race/,
    );
  });

  test('refuses a variant that the gate has never seen', () => {
    const run = { ...toyRequest().run, verdicts: [] };
    expect(() => describeOperation({ ...toyRequest(), run }, toyShipped(), '1.2.3')).toThrow(/no verdict/);
  });
});

describe('gateDigest', () => {
  const passed = (variant: string, seconds: number): Verdict => ({
    variant,
    device: 'emulated',
    verdict: 'passed',
    evidence: { message: 'passed', cases: 3, seconds },
  });

  test('knows neither order nor times', () => {
    expect(gateDigest([passed('a', 1), passed('b', 2)])).toBe(gateDigest([passed('b', 3), passed('a', 4)]));
  });

  test('knows the verdicts', () => {
    expect(gateDigest([passed('a', 1)])).not.toBe(gateDigest([{ ...passed('a', 1), verdict: 'wrong' }]));
  });
});
