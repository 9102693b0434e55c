// Defects of a family's launch code, on the emulated device. One worker has all of them: which one is in force is a parameter of the job.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileEmulated } from '../../src/compile/host.ts';
import { buildWorker } from '../../src/compile/worker.ts';
import { type DeviceSession, openDevice } from '../../src/device/session.ts';
import { loadFamily } from '../../src/discover.ts';
import { localExecutor } from '../../src/exec/local.ts';
import { gateVariant } from '../../src/gate/gate.ts';
import type { Artifact } from '../../src/model/artifact.ts';
import type { AnyFamily } from '../../src/model/family.ts';
import type { VerdictName } from '../../src/model/verdict.ts';
import { renderVariant } from '../../src/render/render.ts';
import { pointOfId } from '../../src/space/id.ts';
import { variantOf } from '../../src/space/variant.ts';
import { breakFile } from './malformed.ts';
import { contextOf, testToolchain } from './toolchain.ts';

/** An expression of a file behind a text that finds it, another one in its place, and the verdicts that it may get. */
export interface LaunchDefect<Name extends string> {
  readonly name: string;
  readonly of: Name;
  /** Default: launch.hpp. */
  readonly file?: string;
  readonly behind: string;
  readonly expression: string;
  readonly defect: string;
  readonly verdicts: readonly VerdictName[];
}

/** A copy of the family's folder with all of them. */
function plant(from: string, folder: string, defects: readonly LaunchDefect<string>[]): void {
  const escaped = (text: string) => text.replace(/[()[\]{}.*+?^$|\\]/g, '\\$&');
  cpSync(from, folder, { recursive: true });
  defects.forEach(({ file = 'launch.hpp', behind, expression, defect }, index) => {
    const choice = `(parameters.number("defect") == ${index + 1} ? (${defect}) : (${expression}))`;
    breakFile(folder, file, new RegExp(`(${escaped(behind)})${escaped(expression)}`), `$1${choice}`);
  });
}

/** Tests that depth `quick` refuses each defect, and passes the variants without one. `ids`: the variants by the names that defects call them. */
export function describeLaunchDefects<Name extends string>(
  name: string,
  ids: Readonly<Record<Name, string>>,
  defects: readonly LaunchDefect<Name>[],
): void {
  describe('depth quick sees launch code that', () => {
    let family: AnyFamily;
    let session: DeviceSession;
    const artifacts = new Map<string, Artifact>();
    const folder = join(mkdtempSync(join(tmpdir(), 'tilewright-')), name);
    beforeAll(async () => {
      const loaded = await loadFamily(name);
      ({ family } = loaded);
      const toolchain = await testToolchain();
      const own = contextOf(loaded);
      for (const [called, id] of Object.entries<string>(ids)) {
        const variant = variantOf(family, pointOfId(family, id));
        const artifact = await compileEmulated(renderVariant(family, loaded.folder, variant), toolchain, own);
        if ('verdict' in artifact) throw new Error(artifact.evidence.message);
        artifacts.set(called, artifact);
      }
      plant(loaded.folder, folder, defects);
      const context = { ...own, familyFolder: folder, copyOf: own };
      const worker = await buildWorker('emulated', toolchain, context);
      const opened = await openDevice('emulated', worker.path, localExecutor, undefined, { folder });
      if (!opened.available) throw new Error(opened.reason);
      ({ session } = opened);
    }, 300_000);
    afterAll(async () => {
      await session?.close();
      rmSync(dirname(folder), { recursive: true, force: true });
    });

    /** Gates a variant with a defect in force, by its number; 0 is none. */
    async function gate(of: string, defect: number) {
      const artifact = artifacts.get(of);
      if (!artifact) throw new Error(`${of} was not compiled`);
      const { source } = artifact;
      const variant = { ...source.variant, derived: { ...source.variant.derived, defect } };
      return gateVariant(session, { ...artifact, source: { ...source, variant } }, family);
    }

    it.each(defects.map((one, index) => ({ ...one, number: index + 1 })))(
      '$name: $of',
      { timeout: 120_000 },
      async ({ of, number, verdicts }) => {
        const { verdict, evidence } = await gate(of, number);
        expect(verdict, `${evidence.case}: ${evidence.message}`).toBeOneOf([...verdicts]);
      },
    );

    it.each(Object.keys(ids))('and passes %s as it is', { timeout: 120_000 }, async (called) => {
      const { verdict, evidence } = await gate(called, 0);
      expect(verdict, evidence.message).toBe('passed');
    });
  });
}
