import type { Event } from '../model/event.ts';
import { brief, duration, fold, grouped, plural, shortPath } from './format.ts';
import { type Output, type Paint, paintFor, rewrites, widthOf } from './style.ts';
import { cutEnd, cutMiddle } from './table.ts';

/** Without a terminal, progress is a line now and then: at most one per this many milliseconds. */
const quietMs = 10_000;
const frameMs = 100;

type Kind<Name extends Event['event']> = Extract<Event, { event: Name }>;

/** Tells on stderr how far a run is: a line that is rewritten on a terminal, a few lines elsewhere. */
export class Progress {
  readonly #output: Output;
  readonly #paint: Paint;
  readonly #rewrites: boolean;
  readonly #now: () => number;
  #counts = { total: 0, compiled: 0, passed: 0, failed: 0, timed: 0 };
  /** When the first verdict came: what lies before it says nothing of the rate. */
  #first: number | undefined;
  #shown = Number.NEGATIVE_INFINITY;
  #dirty = false;
  readonly #seen = new Set<string>();

  constructor(output: Output, now: () => number = () => performance.now()) {
    this.#output = output;
    this.#paint = paintFor(output);
    this.#rewrites = rewrites(output);
    this.#now = now;
  }

  handle(event: Event): void {
    if (event.event === 'start') this.#start(event);
    if (event.event === 'space') this.#space(event);
    if (event.event === 'note') this.#note(event);
    if (event.event === 'artifact') this.#artifact(event);
    if (event.event === 'verdict') this.#verdict(event);
    if (event.event === 'measurement') this.#measurement(event);
    if (event.event === 'summary') this.clear();
  }

  /** A whole line above the progress line. */
  line(text: string): void {
    this.clear();
    const shown = this.#rewrites ? fold(text, widthOf(this.#output)) : text;
    this.#output.write(`${this.#paint('faint', shown)}\n`);
  }

  /** Takes the progress line away. */
  clear(): void {
    if (this.#dirty) this.#output.write('\r\u001b[K');
    this.#dirty = false;
  }

  /** A preset is told even where nobody named it. */
  #start({ run, resumed, preset, where }: Kind<'start'>): void {
    const of = [
      ...(preset === undefined ? [] : [`preset ${preset}`]),
      ...(where === undefined ? [] : [where]),
    ].join(' and ');
    this.line(`${resumed ? 'resuming' : 'run'} ${shortPath(run)}${of && `: ${of}`}`);
  }

  #space(event: Kind<'space'>): void {
    this.#counts.total = event.variants;
    const { points, legal, variants } = event;
    this.line(
      `${plural(points, 'point')}, ${grouped(legal)} asked for and legal, ${plural(variants, 'variant')} to look at`,
    );
  }

  #note({ message, passing }: Kind<'note'>): void {
    if (passing) this.#tick('', message);
    else this.line(message);
  }

  #artifact(event: Kind<'artifact'>): void {
    if (event.device === 'cuda') this.#counts.compiled++;
    this.#tick();
  }

  #measurement(event: Kind<'measurement'>): void {
    if (event.kind === 'variant' && event.l2 === 'hot') this.#counts.timed++;
    this.#tick(event.subject);
  }

  #verdict(event: Kind<'verdict'>): void {
    const good = event.verdict === 'passed';
    this.#first ??= this.#now();
    const first = !this.#seen.has(event.variant);
    this.#seen.add(event.variant);
    if (!good) {
      this.#counts.failed++;
      this.clear();
      const where = event.device === 'none' ? '' : ` (${event.device})`;
      const message = brief(event.evidence.message, event.variant);
      const width = this.#rewrites ? widthOf(this.#output) : 300;
      const name = cutMiddle(event.variant, Math.max(32, Math.floor(width * 0.55)));
      const text = cutEnd(`${name}${where}: ${message}`, width - 10);
      this.#output.write(`${this.#paint('bad', event.verdict.padEnd(9))} ${text}\n`);
    } else if (first) this.#counts.passed++;
    this.#tick(event.variant);
  }

  /** Shows the counts with the variant that was looked at last, or with how far a long job is. */
  #tick(subject = '', job = ''): void {
    const now = this.#now();
    if (now - this.#shown < (this.#rewrites ? frameMs : quietMs)) return;
    this.#shown = now;
    const text = this.#text(now);
    if (!this.#rewrites) {
      this.#output.write(`${text}${job && `  ${job}`}\n`);
      return;
    }
    const room = widthOf(this.#output) - text.length - 3;
    const shown = job ? cutEnd(job, room) : cutMiddle(subject, room);
    const tail = shown && room > 16 ? `  ${shown}` : '';
    this.#output.write(`\r\u001b[K${text}${this.#paint('faint', tail)}`);
    this.#dirty = true;
  }

  #text(now: number): string {
    const { total, compiled, passed, failed, timed } = this.#counts;
    const judged = passed + failed;
    const rate = (judged - 1) / Math.max((now - (this.#first ?? now)) / 1000, 1e-3);
    const going = judged > 1 && judged < total;
    const speed = going ? `  ${rate.toFixed(1)}/s, ${duration((total - judged) / rate)} left` : '';
    const late = timed > 0 ? `  timed ${timed}` : '';
    return `compiled ${compiled}/${total}  judged ${judged}/${total}  failed ${failed}${late}${speed}`;
  }
}
