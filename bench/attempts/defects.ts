import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { defaultArch } from '../../src/arch/index.ts';
import { buildVariant } from '../../src/compile/variant.ts';
import { buildWorker } from '../../src/compile/worker.ts';
import { openDevice } from '../../src/device/session.ts';
import { loadFamily } from '../../src/discover.ts';
import { localExecutor } from '../../src/exec/local.ts';
import { gateVariant } from '../../src/gate/gate.ts';
import { verdictNames } from '../../src/model/verdict.ts';
import { cppSignature } from '../../src/render/operation.ts';
import { renderVariant } from '../../src/render/render.ts';
import { commitOf } from '../../src/setup.ts';
import { pointOfId } from '../../src/space/id.ts';
import { variantOf } from '../../src/space/variant.ts';
import { findToolchain } from '../../src/toolchain/toolchain.ts';
import { Slots } from '../../src/util/limit.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { type Defect, ideas } from './ideas.ts';

/** The gate's results on the defects, and on the same variants without them. */
export const defectsSchema = z.object({
  date: z.string(),
  commit: z.string().optional(),
  depth: z.literal('quick'),
  device: z.literal('emulated'),
  defects: z.array(
    z.object({
      idea: z.string(),
      defect: z.string(),
      variant: z.string(),
      /** Of the variant as it is. */
      sound: z.enum(verdictNames),
      verdict: z.enum(verdictNames),
      case: z.string().optional(),
      message: z.string(),
    }),
  ),
});
export type Defects = z.infer<typeof defectsSchema>;

/** Puts every defect through the gate at depth quick, on the emulated device. */
export async function gateDefects(): Promise<Defects> {
  const toolchain = await findToolchain(localExecutor);
  if (!toolchain) throw new Error('no CUDA compiler: run `npx gen toolchain install`');
  const { family, folder } = await loadFamily('bsr-spmm');
  const cacheRoot = join(packageRoot, 'generated/artifacts');
  const slots = new Slots(availableParallelism());
  const signature = cppSignature(family.operation);
  const context = { executor: localExecutor, cacheRoot, packageRoot, familyFolder: folder, signature, slots };
  const worker = await buildWorker('emulated', toolchain, context, () => {});
  const opened = await openDevice('emulated', worker.path, localExecutor, undefined, { folder });
  if (!opened.available) throw new Error(opened.reason);
  const { session } = opened;
  const gate = async (id: string, change: Defect['change']) => {
    const source = renderVariant(family, folder, variantOf(family, pointOfId(family, id)));
    const built = await buildVariant(change(source), defaultArch, ['emulated'], toolchain, context);
    const artifact = built.artifacts.find(({ device }) => device === 'emulated');
    if (built.verdict || !artifact) return built.verdict ?? Promise.reject(new Error('nothing was built'));
    return gateVariant(session, artifact, family);
  };
  try {
    const defects: Defects['defects'] = [];
    for (const { name, defect } of ideas) {
      const sound = await gate(defect.variant, (source) => source);
      const { verdict, evidence } = await gate(defect.variant, defect.change);
      const { case: id, message } = evidence;
      const told = { sound: sound.verdict, verdict, message, ...(id !== undefined && { case: id }) };
      defects.push({ idea: name, defect: defect.what, variant: defect.variant, ...told });
    }
    const commit = await commitOf(localExecutor, folder);
    const when = { date: new Date().toISOString(), ...(commit !== undefined && { commit }) };
    return { ...when, depth: 'quick', device: 'emulated', defects };
  } finally {
    await session.close();
  }
}
