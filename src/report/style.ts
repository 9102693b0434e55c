import util from 'node:util';

export type Tone = 'good' | 'bad' | 'warn' | 'faint' | 'strong';

const formats = { good: 'green', bad: 'red', warn: 'yellow', faint: 'dim', strong: 'bold' } as const;

/** Destination of text: a stream of Node and its properties. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Colours text for one output, or leaves it as it is. */
export type Paint = (tone: Tone, text: string) => string;

/** FORCE_COLOR wins over NO_COLOR, as in Node; then a terminal that is not `dumb`. */
export function paintFor(output: Output, environment: Environment = process.env): Paint {
  const { FORCE_COLOR, NO_COLOR, TERM } = environment;
  const coloured =
    FORCE_COLOR !== undefined
      ? FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
      : !NO_COLOR && TERM !== 'dumb' && output.isTTY === true;
  // Node's own check of the stream looks at another stream than ours.
  return (tone, text) => (coloured ? util.styleText(formats[tone], text, { validateStream: false }) : text);
}

/** Whether a line may be rewritten in place. */
export function rewrites(output: Output, environment: Environment = process.env): boolean {
  return output.isTTY === true && environment.TERM !== 'dumb' && !environment.CI;
}

/** Columns to fill: the terminal's, at least 40 and at most 120; 80 where there is none. */
export function widthOf(output: Output): number {
  return Math.min(120, Math.max(40, output.columns ?? 80));
}

/** Width at which prose is wrapped: a terminal's, and unlimited for a program that reads it. */
export function foldAt(output: Output): number {
  return output.isTTY ? widthOf(output) : Number.POSITIVE_INFINITY;
}

/** Columns that a text takes on the screen. */
export function visibleLength(text: string): number {
  return [...util.stripVTControlCharacters(text)].length;
}
