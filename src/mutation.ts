// Mutant -> Artifact -> Verdict: what the gate says of kernels with one defect. The stages are those of a sweep.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cuda, emulated, emulatedOnly } from './backends/index.ts';
import type { CompileContext } from './compile/context.ts';
import { buildVariant } from './compile/variant.ts';
import { Devices } from './devices.ts';
import { EnvironmentError } from './errors.ts';
import type { Executor } from './exec/executor.ts';
import { askRules, gateVariant } from './gate/gate.ts';
import type { Arch } from './model/arch.ts';
import type { Artifact } from './model/artifact.ts';
import type { AnyFamily } from './model/family.ts';
import type { Source } from './model/variant.ts';
import type { Verdict } from './model/verdict.ts';
import { machineCode } from './mutate/cubin.ts';
import { argumentFor, type Equivalent } from './mutate/equivalents.ts';
import { judged, refusal } from './mutate/judge.ts';
import { overlay } from './mutate/overlay.ts';
import { mutatedSource, type Planned } from './mutate/plan.ts';
import { type MutantResult, type Opinions, opinionsSchema } from './mutate/result.ts';
import type { Toolchain } from './toolchain/find.ts';
import { mapLimit } from './util/limit.ts';

/** What trying mutants takes of its surroundings. */
export interface Workshop {
  readonly family: AnyFamily;
  readonly arch: Arch;
  readonly context: CompileContext;
  readonly toolchain: Toolchain;
  readonly executor: Executor;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly jobs: number;
  readonly watchdogSeconds: number;
  readonly depth: 'quick' | 'full';
  /** The case whose outputs other projects' rules look at; absent: they are not asked. */
  readonly rulesCase?: string;
  readonly equivalents: readonly Equivalent[];
  /** Try survivors again: the gate is another one. */
  readonly retry: boolean;
  readonly note: (message: string) => void;
}

/** What was built of a variant as it is, or why it does not pass. */
type Original = { readonly artifacts: readonly Artifact[] } | { readonly verdict: Verdict };

/** Compiles and gates mutants by the stages of a sweep, on the emulated device. */
export class MutantTrials {
  readonly #shop: Workshop;
  readonly #devices: Devices;
  readonly #originals = new Map<string, Promise<Original>>();

  constructor(shop: Workshop) {
    this.#shop = shop;
    const { executor, environment, context, toolchain, note } = shop;
    this.#devices = new Devices({
      request: { ...shop, folder: shop.context.familyFolder, device: emulatedOnly },
      host: { executor, environment },
      ...{ context, note },
      toolchain: async () => toolchain,
      nowAndThen: () => () => {},
    });
  }

  async open(): Promise<void> {
    const refused = await this.#devices.open(emulated.name, []);
    if (refused !== undefined) throw new EnvironmentError(refused);
  }

  close(): Promise<void> {
    return this.#devices.close();
  }

  /** The variants that pass as they are: mutants of the others would say nothing, which is told. */
  async passing(sources: readonly Source[]): Promise<Source[]> {
    this.#shop.note(`gating ${sources.length} variants as they are`);
    const found = await mapLimit(sources, 2 * this.#shop.jobs, (source) => this.#sound(source));
    return sources.filter((source, index) => {
      const original = found[index];
      if (!original || !('verdict' in original)) return true;
      const { verdict, evidence } = original.verdict;
      this.#shop.note(
        `left out, since it does not pass as it is: ${source.variant.id} (${verdict}: ${evidence.message})`,
      );
      return false;
    });
  }

  /**
   * Tries every mutant, some at a time. `earlier` gives what is known of one: it is not tried again, but survivors are where
   * the gate is to be asked at another depth, or again.
   */
  async run(
    planned: readonly Planned[],
    earlier: (one: Planned) => MutantResult | undefined,
    onResult: (result: MutantResult) => void,
  ): Promise<void> {
    const { depth, equivalents, retry } = this.#shop;
    await mapLimit(planned, 2 * this.#shop.jobs, async (one) => {
      const known = earlier(one);
      if (known && known.outcome !== 'survived') return;
      const argued = known && argumentFor(known, equivalents);
      if (argued) return onResult({ ...known, outcome: 'argued', message: argued.argument });
      if (known?.depth === depth && !retry) return;
      const result = await this.#try(one, known);
      if (result) onResult(result);
    });
  }

  /** What other projects' rules say of a variant as it is. */
  async soundOpinions(source: Source): Promise<Opinions | undefined> {
    const opinions = await this.#opinions(await this.#original(source));
    return opinions === 'crash' ? undefined : opinions;
  }

  /** Gates a correct variant under one schedule after another; gives every verdict that is not `passed`. */
  async falseAlarms(
    sources: readonly Source[],
    runs: number,
    onRun: (done: number) => void,
  ): Promise<Verdict[]> {
    const alarms: Verdict[] = [];
    let done = 0;
    const seeds = Array.from({ length: runs }, (_, index) => index);
    await mapLimit(seeds, 2 * this.#shop.jobs, async (index) => {
      const source = sources[index % sources.length];
      if (!source) return;
      const seed = 1 + Math.floor(index / sources.length);
      const verdict = await this.#gate(await this.#original(source), this.#shop.depth, seed);
      if (verdict.verdict !== 'passed') alarms.push({ ...verdict, evidence: { ...verdict.evidence, seed } });
      onRun(++done);
    });
    return alarms;
  }

  /** Undefined where the machine, not the mutant, kept it from an answer. */
  async #try(one: Planned, known: MutantResult | undefined): Promise<MutantResult | undefined> {
    const { source, path, mutant } = one;
    const { text: _, launch: __, ...described } = mutant;
    const result = { variant: source.variant.id, path, ...described };
    const original = await this.#original(source);
    const folder = mkdtempSync(join(tmpdir(), 'tilewright-mutant-'));
    try {
      return await this.#judge(result, one, original, this.#contextFor(one, folder), known);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  async #judge(
    result: Omit<MutantResult, 'outcome'>,
    planned: Planned,
    original: readonly Artifact[],
    context: CompileContext,
    known: MutantResult | undefined,
  ): Promise<MutantResult | undefined> {
    const changed = mutatedSource(planned);
    const cubin = await this.#build(changed, false, context);
    if (cubin.verdict) return refusal(result, cubin.verdict);
    if (!planned.mutant.launch && sameCode(cubin.artifacts, original))
      return { ...result, outcome: 'identical' };
    const argued = argumentFor(result, this.#shop.equivalents);
    if (argued) return { ...result, outcome: 'argued', message: argued.argument };
    const built = await this.#build(changed, true, context);
    if (built.verdict) return refusal(result, built.verdict);
    const opinions = known?.opinions ?? (this.#shop.rulesCase && (await this.#opinions(built.artifacts)));
    const verdict = await this.#verdict(built.artifacts, known !== undefined && !this.#shop.retry);
    return judged({ ...result, ...(opinions && { opinions }) }, verdict);
  }

  /** The first objection, at depth quick and then, where that is asked for, at depth full. */
  async #verdict(
    artifacts: readonly Artifact[],
    survivedQuick: boolean,
  ): Promise<{ readonly verdict: Verdict; readonly depth: 'quick' | 'full' }> {
    if (!survivedQuick) {
      const verdict = await this.#gate(artifacts, 'quick');
      if (verdict.verdict !== 'passed' || this.#shop.depth === 'quick') return { verdict, depth: 'quick' };
    }
    return { verdict: await this.#gate(artifacts, 'full'), depth: 'full' };
  }

  #gate(artifacts: readonly Artifact[], depth: 'quick' | 'full', seed?: number): Promise<Verdict> {
    const artifact = artifactFor(artifacts);
    const scope = { depth, ...(seed !== undefined && { seed }) };
    return this.#devices.use(emulated.name, (session) =>
      gateVariant(session, artifact, this.#shop.family, scope),
    );
  }

  async #opinions(artifacts: readonly Artifact[]): Promise<Opinions | 'crash'> {
    const artifact = artifactFor(artifacts);
    const { rulesCase = '', family } = this.#shop;
    const { evidence } = await this.#devices.use(emulated.name, (session) =>
      askRules(session, artifact, family, rulesCase),
    );
    const opinions = opinionsSchema.safeParse(evidence.opinions);
    return opinions.success ? opinions.data : 'crash';
  }

  async #original(source: Source): Promise<readonly Artifact[]> {
    const found = await this.#sound(source);
    if ('verdict' in found) throw new Error(`${source.variant.id} was to be left out`);
    return found.artifacts;
  }

  #sound(source: Source): Promise<Original> {
    const { id } = source.variant;
    const known = this.#originals.get(id) ?? this.#judgeOriginal(source);
    this.#originals.set(id, known);
    return known;
  }

  async #judgeOriginal(source: Source): Promise<Original> {
    const { artifacts, verdict } = await this.#build(source, true, this.#shop.context);
    const gated = verdict ?? (await this.#gate(artifacts, this.#shop.depth));
    return gated.verdict === 'passed' ? { artifacts } : { verdict: gated };
  }

  #build(source: Source, both: boolean, context: CompileContext) {
    return buildVariant(source, this.#shop.arch, both ? [emulated.name] : [], this.#shop.toolchain, context);
  }

  /** A changed header lies in a copy of its folder, and what is made of it is not kept: it would fill the cache. */
  #contextFor({ mutant, header }: Planned, folder: string): CompileContext {
    const { context } = this.#shop;
    if (!header || mutant.text === undefined) return context;
    const copy = join(folder, 'copy');
    mkdirSync(copy);
    const cacheRoot = join(folder, 'artifacts');
    if (header.folder === context.familyFolder) {
      overlay(context.familyFolder, copy, header.file, mutant.text);
      return { ...context, familyFolder: copy, cacheRoot };
    }
    overlay(context.packageRoot, copy, `templates/include/${header.file}`, mutant.text);
    return { ...context, packageRoot: copy, cacheRoot };
  }
}

function artifactFor(artifacts: readonly Artifact[]): Artifact {
  const artifact = artifacts.find(({ device }) => device === emulated.name);
  if (!artifact) throw new Error('nothing was built for the emulated device');
  return artifact;
}

function sameCode(artifacts: readonly Artifact[], original: readonly Artifact[]): boolean {
  const [mutated, sound] = [artifacts, original].map((list) =>
    list.find(({ device }) => device === cuda.name),
  );
  return mutated !== undefined && sound !== undefined && codeOf(mutated) === codeOf(sound);
}

const codeOf = ({ path }: Artifact) => machineCode(readFileSync(path));
