import type { Event } from '../model/event.ts';
import { grouped } from '../util/grouped.ts';
import { brief, duration, fold, plural, shortPath } from './format.ts';
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
  readonly #gates: boolean;
  #total = 0;
  readonly #compiled = new Set<string>();
  /** By variant, whether all devices that were asked of it have let it pass so far. */
  readonly #judged = new Map<string, boolean>();
  readonly #timed = new Set<string>();
  /** Time of the first verdict; what lies before it is left out of the rate. */
  #first: number | undefined;
  #shown = Number.NEGATIVE_INFINITY;
  #dirty = false;

  /** `gates`: whether the run gates. One that does not judges a variant now and then, which says nothing of the time left. */
  constructor(output: Output, gates: boolean, now: () => number = () => performance.now()) {
    this.#output = output;
    this.#gates = gates;
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
    this.#total = event.variants;
    const { points, legal, variants } = event;
    this.line(
      `${plural(points, 'point')}, ${grouped(legal)} selected and legal, ${plural(variants, 'variant')} to evaluate`,
    );
  }

  #note({ message, passing }: Kind<'note'>): void {
    if (passing) this.#tick('', message);
    else this.line(message);
  }

  #artifact(event: Kind<'artifact'>): void {
    this.#compiled.add(event.variant);
    this.#tick();
  }

  #measurement(event: Kind<'measurement'>): void {
    if (event.kind === 'variant') this.#timed.add(event.subject);
    this.#tick(event.subject);
  }

  #verdict(event: Kind<'verdict'>): void {
    const good = event.verdict === 'passed';
    this.#first ??= this.#now();
    this.#judged.set(event.variant, good && this.#judged.get(event.variant) !== false);
    if (!good) this.#failure(event);
    this.#tick(event.variant);
  }

  #failure({ variant, verdict, device, evidence }: Kind<'verdict'>): void {
    this.clear();
    const where = device === 'none' ? '' : ` (${device})`;
    const width = this.#rewrites ? widthOf(this.#output) : 300;
    const name = cutMiddle(variant, Math.max(32, Math.floor(width * 0.55)));
    const text = cutEnd(`${name}${where}: ${brief(evidence.message, variant)}`, width - 10);
    this.#output.write(`${this.#paint('bad', verdict.padEnd(9))} ${text}\n`);
  }

  /** Shows the counts with the variant that was looked at last, or with how far a long job is. */
  #tick(subject = '', job = ''): void {
    const now = this.#now();
    if (now - this.#shown < (this.#rewrites ? frameMs : quietMs)) return;
    this.#shown = now;
    const text = this.#text(now);
    if (!this.#rewrites) {
      this.#output.write(`${[text, job].filter((part) => part !== '').join('  ')}\n`);
      return;
    }
    const room = widthOf(this.#output) - text.length - 3;
    const shown = job ? cutEnd(job, room) : cutMiddle(subject, room);
    const tail = shown && room > 16 ? `  ${shown}` : '';
    this.#output.write(`\r\u001b[K${text}${this.#paint('faint', tail)}`);
    this.#dirty = true;
  }

  #text(now: number): string {
    const total = this.#total;
    if (total === 0) return ''; // the space is still being looked through
    const failed = [...this.#judged.values()].filter((passes) => !passes).length;
    const judged = this.#gates ? `  judged ${this.#judged.size}/${total}` : '';
    const timed = this.#timed.size > 0 ? `  timed ${this.#timed.size}` : '';
    const speed = this.#gates ? this.#speed(now) : '';
    return `compiled ${this.#compiled.size}/${total}${judged}  failed ${failed}${timed}${speed}`;
  }

  /** Nothing before there are two variants to tell a rate by, and after the last. */
  #speed(now: number): string {
    const judged = this.#judged.size;
    if (judged < 2 || judged >= this.#total) return '';
    const rate = (judged - 1) / Math.max((now - (this.#first ?? now)) / 1000, 1e-3);
    return `  ${rate.toFixed(1)}/s, ${duration((this.#total - judged) / rate)} left`;
  }
}
