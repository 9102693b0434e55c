// Mutant -> Artifact -> Verdict: what the gate says of kernels with one defect. The stages are those of a sweep.
import { cuda, emulated } from '../backends/index.ts';
import type { CompileContext } from '../compile/context.ts';
import { buildVariant } from '../compile/variant.ts';
import { EnvironmentError } from '../errors.ts';
import type { Artifact } from '../model/artifact.ts';
import type { Source } from '../model/variant.ts';
import { isDoubtful, type Verdict } from '../model/verdict.ts';
import { argumentFor, type Equivalent } from '../mutate/equivalents.ts';
import { isGated, judged, refusal, wordOf } from '../mutate/judge.ts';
import { elsewhere, mutatedSource, type Planned } from '../mutate/plan.ts';
import { type GpuResult, type MutantResult, type Opinions, opinionsSchema } from '../mutate/result.ts';
import { mapLimit } from '../util/limit.ts';
import { inContextOf, sameCode } from './build.ts';
import { depthsUpTo, Judges, type JudgesOptions } from './judges.ts';

/** Environment in which mutants are tried. */
export interface Workshop extends JudgesOptions {
  readonly depth: 'quick' | 'full';
  /** The case whose outputs other projects' rules look at; absent: they are not asked. */
  readonly rulesCase?: string;
  readonly equivalents: readonly Equivalent[];
  /** Try survivors again: the gate is another one. */
  readonly retry: boolean;
  /** Ids of variants that passed as they are, by this commit's gate: they are not asked again. */
  readonly sound: ReadonlySet<string>;
  /** Time for beginning things; absent: as long as it takes. */
  readonly seconds?: number;
}

/** Artifacts of an unmutated variant, or the verdict by which it fails. */
type Original = { readonly artifacts: readonly Artifact[] } | { readonly verdict: Verdict };

/** Compiles and gates mutants by the stages of a sweep, on the emulated device and, where they are asked for, on GPUs. */
export class MutantTrials {
  readonly #shop: Workshop;
  readonly #judges: Judges;
  readonly #originals = new Map<string, Promise<Original>>();
  readonly #began = performance.now();
  #judged = false;

  constructor(shop: Workshop) {
    this.#shop = shop;
    this.#judges = new Judges(shop);
  }

  open(): Promise<void> {
    return this.#judges.open();
  }

  close(): Promise<void> {
    return this.#judges.close();
  }

  /** The variants that pass as they are: mutants of the others would say nothing, which is told. All, where no time is left. */
  async passing(sources: readonly Source[]): Promise<readonly Source[]> {
    if (this.#late()) return sources;
    this.#judged = true;
    this.#shop.note(`gating ${sources.length} unmutated variants`);
    const found = await mapLimit(sources, 2 * this.#shop.jobs, (source) => this.#sound(source));
    return sources.filter((source, index) => {
      const original = found[index];
      if (!original || !('verdict' in original)) return true;
      const { verdict, evidence } = original.verdict;
      const { device } = original.verdict;
      this.#shop.note(
        `left out, since it does not pass as it is: ${source.variant.id} (${device}: ${verdict}: ${evidence.message})`,
      );
      return false;
    });
  }

  /** Whether there was time to find out which variants pass as they are. */
  get judged(): boolean {
    return this.#judged;
  }

  /** Whether the time for beginning things is over. */
  #late(): boolean {
    const { seconds = Number.POSITIVE_INFINITY } = this.#shop;
    return performance.now() - this.#began >= 1000 * seconds;
  }

  /**
   * Tries every mutant, some at a time, survivors of another depth first, then new ones, each in the order of their ids, which
   * are hashes: what is done when the time is over is a fair sample. `earlier` gives what is known of one: it is not tried again, but survivors are where the gate is to be asked
   * at another depth, or again, then with those that are argued about in single variants, and defects that a GPU has not said anything of.
   */
  async run(
    planned: readonly Planned[],
    earlier: (one: Planned) => MutantResult | undefined,
    onResult: (result: MutantResult) => void,
  ): Promise<void> {
    const { depth, equivalents, retry } = this.#shop;
    const turn = (one: Planned) => `${this.#rank(earlier(one))} ${one.mutant.id}`;
    const inTurn = planned.toSorted((a, b) => (turn(a) < turn(b) ? -1 : 1));
    await mapLimit(inTurn, 2 * this.#shop.jobs, async (one) => {
      const before = earlier(one);
      const known = before?.undecided === undefined ? before : undefined;
      const argued = known?.outcome === 'survived' && argumentFor(known, equivalents);
      if (argued) return onResult({ ...known, outcome: 'argued', message: argued.argument });
      if (this.#late()) return;
      const awaited = known !== undefined && this.#awaitsGpu(known);
      const open = known?.outcome === 'survived' || (retry && known !== undefined && this.#isInert(known));
      if (known && !open && !awaited) return;
      if (known?.depth === depth && !retry && !awaited) return;
      onResult(await this.#try(one, known));
    });
  }

  #rank(known: MutantResult | undefined): number {
    if (known === undefined || known.undecided !== undefined) return 1;
    return known.outcome === 'survived' && known.depth !== this.#shop.depth ? 0 : 2;
  }

  #awaitsGpu(known: MutantResult): boolean {
    return this.#shop.gpus.length > 0 && known.gpu === undefined && isGated(known);
  }

  /** Answers of other projects' rules on an unmutated variant. */
  async soundOpinions(source: Source): Promise<Opinions | undefined> {
    const opinions = await this.#opinions(await this.#original(source));
    return opinions === 'crash' ? undefined : opinions;
  }

  /** Gates correct variants in turn, `runs` times, under schedules from `first` on; gives every verdict that is not `passed`. */
  async falseAlarms(
    sources: readonly Source[],
    { runs, first }: { readonly runs: number; readonly first: number },
    onRun: (done: number) => void,
  ): Promise<Verdict[]> {
    const alarms: Verdict[] = [];
    let done = 0;
    const seeds = Array.from({ length: runs }, (_, index) => index);
    await mapLimit(seeds, 2 * this.#shop.jobs, async (index) => {
      const source = sources[index % sources.length];
      if (!source || this.#late()) return;
      const seed = first + Math.floor(index / sources.length);
      const artifacts = await this.#original(source);
      const verdict = await this.#withMachine(
        () => this.#judges.gate(artifacts, this.#shop.depth, emulated.name, seed),
        () => undefined,
      );
      if (verdict === undefined) return;
      if (verdict.verdict !== 'passed') alarms.push({ ...verdict, evidence: { ...verdict.evidence, seed } });
      onRun(++done);
    });
    return alarms;
  }

  /** In the variant that a mutant was made of, and in others of the path where nothing is seen of it in that one. */
  async #try(one: Planned, known: MutantResult | undefined): Promise<MutantResult> {
    const first = await this.#tryIn(one, known);
    if ((known !== undefined && !this.#shop.retry) || !this.#isInert(first)) return first;
    for (const other of elsewhere(one)) {
      const result = await this.#tryIn(other, undefined);
      if (result.outcome === 'killed') return { ...result, variant: first.variant, killedIn: result.variant };
    }
    return first;
  }

  /** Whether nothing is seen of a mutant, for a reason that other variants need not have. */
  #isInert(result: MutantResult): boolean {
    if (result.outcome === 'survived') return result.undecided === undefined;
    return result.outcome === 'argued' && argumentFor(result, this.#shop.equivalents)?.variants !== undefined;
  }

  async #tryIn(one: Planned, known: MutantResult | undefined): Promise<MutantResult> {
    const { source, path, mutant, code } = one;
    const { text: _, launch: __, ...described } = mutant;
    const result = { variant: source.variant.id, path, ...described, code };
    const original = await this.#original(source);
    return this.#withMachine(
      () =>
        inContextOf(one, this.#shop.context, (context) => this.#judge(result, one, original, context, known)),
      (why) => ({ ...result, outcome: 'survived', undecided: why }),
    );
  }

  /** Result of a task that is tried twice; that of `otherwise` if the machine prevents it both times, e.g. for want of memory. */
  async #withMachine<T, U>(task: () => Promise<T>, otherwise: (why: string) => U): Promise<T | U> {
    for (let last = false; ; last = true) {
      try {
        return await task();
      } catch (error) {
        if (!(error instanceof EnvironmentError)) throw error;
        if (last) return otherwise(error.message);
        this.#shop.note(`trying again: ${error.message}`);
      }
    }
  }

  async #judge(
    result: Omit<MutantResult, 'outcome'>,
    planned: Planned,
    original: readonly Artifact[],
    context: CompileContext,
    known: MutantResult | undefined,
  ): Promise<MutantResult> {
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
    const own = await this.#emulatedResult(
      { ...result, ...(opinions && { opinions }) },
      built.artifacts,
      known,
    );
    if (own.undecided !== undefined || this.#shop.gpus.length === 0) return own;
    const gpu = await this.#gpuResult(built.artifacts, own.depth ?? 'quick', known?.gpu);
    return { ...own, ...(gpu && { gpu }) };
  }

  /** The known result if it still counts, or else the emulated device's verdict. */
  async #emulatedResult(
    result: Omit<MutantResult, 'outcome'>,
    artifacts: readonly Artifact[],
    known: MutantResult | undefined,
  ): Promise<MutantResult> {
    const { depth, retry } = this.#shop;
    if (known && (known.outcome === 'killed' || (known.depth === depth && !retry))) return known;
    const word = await this.#judges.word(
      emulated.name,
      artifacts,
      known && !retry ? ['full'] : depthsUpTo(depth),
    );
    return judged(result, word);
  }

  async #gpuResult(artifacts: readonly Artifact[], depth: 'quick' | 'full', known: GpuResult | undefined) {
    const stands = known?.outcome === 'killed' || (known?.depth === depth && !this.#shop.retry);
    if (stands) return known;
    const word = await this.#withMachine(
      () => this.#judges.word(cuda.name, artifacts, depthsUpTo(depth)),
      () => undefined,
    );
    return word === undefined || isDoubtful(word.verdict.evidence) ? undefined : wordOf(word);
  }

  async #opinions(artifacts: readonly Artifact[]): Promise<Opinions | 'crash'> {
    const { evidence } = await this.#judges.askRules(artifacts, this.#shop.rulesCase ?? '');
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

  #judgeOriginal(source: Source): Promise<Original> {
    return this.#withMachine(
      () => this.#gateOriginal(source),
      (message) => ({
        verdict: {
          ...{ variant: source.variant.id, device: emulated.name, verdict: 'machine' },
          evidence: { message },
        },
      }),
    );
  }

  async #gateOriginal(source: Source): Promise<Original> {
    const { artifacts, verdict } = await this.#build(source, true, this.#shop.context);
    if (verdict) return { verdict };
    const { depth, sound } = this.#shop;
    for (const device of sound.has(source.variant.id) ? [] : this.#judges.names) {
      const gated = await this.#judges.gate(artifacts, depth, device);
      if (gated.verdict !== 'passed') return { verdict: gated };
    }
    return { artifacts };
  }

  #build(source: Source, both: boolean, context: CompileContext) {
    return buildVariant(source, this.#shop.arch, both ? [emulated.name] : [], this.#shop.toolchain, context);
  }
}
