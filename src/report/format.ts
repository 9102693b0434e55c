import { grouped } from '../util/grouped.ts';
import { visibleLength } from './style.ts';

/** `850 ms`, `12.3 s`, `4 min 10 s`: how long people waited. */
export function duration(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** Time of a kernel: `152.1 us`, `1.274 ms`. */
export function kernelTime(seconds: number): string {
  return seconds < 1e-3 ? `${(seconds * 1e6).toFixed(1)} us` : `${(seconds * 1e3).toFixed(3)} ms`;
}

/** `1272`, in GB/s: each operand of a workload once, whatever a kernel moves. */
export function bandwidth(bytes: number, seconds: number): string {
  return (bytes / seconds / 1e9).toFixed(0);
}

/** `1.2 %`: a median absolute deviation as a share of its median. */
export function spread(mad: number, median: number): string {
  return `${((100 * mad) / median).toFixed(1)} %`;
}

/** `1.62x`: how many times `own` the other one is; `-` where one of them is not known. */
export function ratio(other: number | undefined, own: number | undefined): string {
  return other === undefined || own === undefined ? '-' : `${(other / own).toFixed(2)}x`;
}

/** `1 variant`, `12 variants`. */
export function plural(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Breaks a line at blanks where it has more than `width` columns; what follows is indented. It may hold colours. */
export function fold(text: string, width: number, indent = 0): string {
  const [first = '', ...words] = text.split(' ');
  const lines = [];
  let line = first;
  for (const word of words) {
    const fits = visibleLength(line) + 1 + visibleLength(word) <= width;
    if (!fits && line.trim() !== '') {
      lines.push(line);
      line = ' '.repeat(indent) + word;
    } else line += ` ${word}`;
  }
  return [...lines, line].join('\n').replaceAll(hardBlank, ' ');
}

const hardBlank = '\u00a0';

/** Words that `fold` keeps on one line. */
export function together(words: string): string {
  return words.replaceAll(' ', hardBlank);
}

/** A path as a person would type it: relative to the working directory where it lies below it. */
export function shortPath(path: string, cwd: string = process.cwd()): string {
  return path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}

/** A message about a variant without the long name of its own source: `id.cu:172` becomes `line 172`. */
export function brief(message: string, variant: string): string {
  return message.replaceAll(`${variant}.cu:`, 'line ').replaceAll(`${variant}.cu`, 'the source');
}
