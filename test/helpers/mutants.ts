import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archNamed } from '../../src/arch/index.ts';
import { compileEmulated } from '../../src/compile/host.ts';
import type { Built } from '../../src/compile/variant.ts';
import { buildVariant } from '../../src/compile/variant.ts';
import { buildWorker } from '../../src/compile/worker.ts';
import { type DeviceSession, openDevice } from '../../src/device/session.ts';
import { loadFamily } from '../../src/discover.ts';
import { localExecutor } from '../../src/exec/local.ts';
import { gateVariant } from '../../src/gate/gate.ts';
import type { Artifact } from '../../src/model/artifact.ts';
import type { AnyFamily } from '../../src/model/family.ts';
import type { GateScope, Verdict, VerdictName } from '../../src/model/verdict.ts';
import { renderVariant } from '../../src/render/render.ts';
import { pointOfId } from '../../src/space/id.ts';
import { variantOf } from '../../src/space/variant.ts';
import { includeNames, locateHeader } from '../../src/util/includes.ts';
import { kit, packageRoot } from '../../src/util/package-root.ts';
import { contextOf, testToolchain } from './toolchain.ts';

/** Verdicts on wrong results. */
export const wrong: readonly VerdictName[] = ['wrong', 'nonfinite'];
/** Verdicts on wrong places: of reads, writes, or what is left unwritten. */
export const stray: readonly VerdictName[] = ['out-of-bounds', 'unwritten', ...wrong, 'fault'];

/** A change of a rendered source. */
export type Change = (text: string) => string;

export const sound: Change = (text) => text;

/** Replaces the one place that matches; a pattern that matches nothing fails the test. */
export const replacing =
  (from: string | RegExp, to: string): Change =>
  (text) => {
    expect(text).toMatch(from);
    return text.replace(from, to);
  };

/**
 * A change of a header that a kernel includes, directly or not: it and those on the way to it take the place of the lines that
 * include them. `family`: whose own headers count beside those of `kit/device`.
 */
export const inHeader =
  (header: string, change: Change, family?: string): Change =>
  (text) => {
    const folders = [kit.device, ...(family ? [`templates/kernels/${family}`] : [])].map((folder) =>
      join(packageRoot, folder),
    );
    const textOf = (name: string) => {
      const path = locateHeader(name, folders);
      return path === undefined ? '' : readFileSync(path, 'utf8');
    };
    const leads = (name: string): boolean => name === header || includeNames(textOf(name)).some(leads);
    const seen = new Set<string>();
    const inlined = (code: string): string =>
      code.replace(/^#include "([^"]+)"$/gm, (line, name: string) => {
        if (!leads(name)) return line;
        if (seen.has(name)) return '';
        seen.add(name);
        const own = textOf(name).replace('#pragma once', '');
        return inlined(name === header ? change(own) : own);
      });
    const changed = inlined(text);
    expect([...seen]).toContain(header);
    return changed;
  };

/** A family's variants with their texts changed, on the emulated device. */
export interface MutantBench {
  readonly family: AnyFamily;
  readonly session: DeviceSession;
  /** For the emulated device alone: no nvcc, and nothing is known of the cubin. */
  build(id: string, change: Change): Promise<Artifact | Verdict>;
  /** Verdict of the gate on it. */
  gate(id: string, change: Change, options?: GateScope): Promise<Verdict>;
  /** The same with the cubin, which a launch has to agree with. */
  gateWithCubin(id: string, change: Change): Promise<Verdict>;
  close(): Promise<void>;
}

/** The bench of a test file: opened before its tests, closed after them. */
export function useMutantBench(name: string): Omit<MutantBench, 'close'> {
  let bench: MutantBench;
  beforeAll(async () => {
    bench = await openMutantBench(name);
  }, 300_000);
  afterAll(() => bench?.close());
  return {
    get family() {
      return bench.family;
    },
    get session() {
      return bench.session;
    },
    build: (...args) => bench.build(...args),
    gate: (...args) => bench.gate(...args),
    gateWithCubin: (...args) => bench.gateWithCubin(...args),
  };
}

/** A defect in one of the named variants, and the verdicts that it may get. */
export type Mutant<Name extends string> = readonly [
  defect: string,
  of: Name,
  change: Change,
  verdicts: readonly VerdictName[],
];

/** The gate's verdict on a mutant has to be one of `verdicts`. */
async function expectRefusal(
  bench: Pick<MutantBench, 'gate'>,
  [id, change, verdicts]: readonly [string, Change, readonly VerdictName[]],
  scope?: GateScope,
): Promise<void> {
  const { verdict, evidence } = await bench.gate(id, change, scope);
  expect(verdict, `${evidence.case}: ${evidence.message}`).toBeOneOf([...verdicts]);
}

/** Tests that depth `quick` refuses each mutant. `ids`: the variants by the names that mutants call them. */
export function describeMutants<Name extends string>(
  bench: Pick<MutantBench, 'gate'>,
  ids: Readonly<Record<Name, string>>,
  mutants: readonly Mutant<Name>[],
): void {
  describe('depth quick sees a kernel that', () => {
    it.each(mutants)('%s: %s', { timeout: 120_000 }, (_, name, change, verdicts) =>
      expectRefusal(bench, [ids[name], change, verdicts]),
    );
  });
}

/** Tests that one case of depth `full` refuses each mutant: defects whose cases take too long for `quick`. */
export function describeFullMutants<Name extends string>(
  bench: Pick<MutantBench, 'gate'>,
  ids: Readonly<Record<Name, string>>,
  mutants: readonly (readonly [...Mutant<Name>, id: string])[],
): void {
  describe('depth full sees a kernel that', () => {
    it.each(mutants)('%s: %s', { timeout: 120_000 }, (_, name, change, verdicts, id) =>
      expectRefusal(bench, [ids[name], change, verdicts], { depth: 'full', case: id }),
    );
  });
}

/** Tests that depth `quick` passes the variants as they are. */
export function describeSound(bench: Pick<MutantBench, 'gate'>, ids: Readonly<Record<string, string>>): void {
  describe('depth quick passes', () => {
    it.each(Object.entries(ids))('%s as it is', { timeout: 120_000 }, async (_, id) => {
      const { verdict, evidence } = await bench.gate(id, sound);
      expect(verdict, evidence.message).toBe('passed');
    });
  });
}

async function openMutantBench(name: string): Promise<MutantBench> {
  const { family, folder } = await loadFamily(name);
  const toolchain = await testToolchain();
  const context = contextOf({ family, folder });
  const worker = await buildWorker('emulated', toolchain, context);
  const opened = await openDevice('emulated', worker.path, localExecutor, undefined, { folder });
  if (!opened.available) throw new Error(opened.reason);
  const { session } = opened;
  const changed = (id: string, change: Change) => {
    const source = renderVariant(family, folder, variantOf(family, pointOfId(family, id)));
    return { ...source, text: change(source.text) };
  };
  const build = (id: string, change: Change) => compileEmulated(changed(id, change), toolchain, context);
  return {
    family,
    session,
    build,
    async gate(id, change, options) {
      const artifact = await build(id, change);
      return 'verdict' in artifact ? artifact : gateVariant(session, artifact, family, options);
    },
    async gateWithCubin(id, change) {
      const arch = archNamed('sm_90a');
      const built: Built = await buildVariant(changed(id, change), arch, ['emulated'], toolchain, context);
      const artifact = built.artifacts.find(({ device }) => device === 'emulated');
      if (built.verdict || !artifact) return built.verdict ?? expect.unreachable('no artifact');
      return gateVariant(session, artifact, family);
    },
    close: () => session.close(),
  };
}
