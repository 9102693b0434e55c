import { describe, expect, test } from 'vitest';
import { buildManifest, gateDigest } from '../../../src/emit/manifest.ts';
import { manifestSchema } from '../../../src/model/manifest.ts';
import type { Verdict } from '../../../src/model/verdict.ts';
import { toyRequest, toyShipped, toyVerdicts } from '../../helpers/toy-library.ts';

describe('buildManifest', () => {
  const manifest = buildManifest(toyRequest(), toyShipped(), '1.2.3');

  test('is what its schema says, also after a trip through JSON', () => {
    expect(manifestSchema.parse(JSON.parse(JSON.stringify(manifest)))).toEqual(manifest);
  });

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

  test('the same request gives the same hash, another source another', () => {
    const again = buildManifest(toyRequest(), toyShipped(), '1.2.4');
    expect(again.hash).toBe(manifest.hash);
    expect(buildManifest(toyRequest(), toyShipped('// changed'), '1.2.3').hash).not.toBe(manifest.hash);
  });

  test('refuses a variant that the gate failed on some device', () => {
    const run = { ...toyRequest().run, verdicts: toyVerdicts({ emulated: 'race' }) };
    expect(() => buildManifest({ ...toyRequest(), run }, toyShipped(), '1.2.3')).toThrow(
      /verdict on emulated is race/,
    );
  });

  test('refuses a variant that the gate has never seen', () => {
    const run = { ...toyRequest().run, verdicts: [] };
    expect(() => buildManifest({ ...toyRequest(), run }, toyShipped(), '1.2.3')).toThrow(/no verdict/);
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
