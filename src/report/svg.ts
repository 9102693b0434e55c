/** Width and height of one panel, pixels. */
export interface PanelSize {
  readonly width: number;
  readonly height: number;
}

const columns = 3;
const colours = ['#c44e52', '#2d8a57', '#8172b3', '#b8860b', '#8c8c8c'];
/** The colour of what this package made. */
export const ours = '#1f6fb4';

/** A picture of panels in rows of three, below a header of `headerHeight` pixels. */
export function sheet(
  panels: readonly (readonly string[])[],
  { width, height }: PanelSize,
  header: readonly string[],
  headerHeight: number,
): string {
  const size = { width: columns * width, height: Math.ceil(panels.length / columns) * height + headerHeight };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}" font-family="sans-serif" font-size="10">`,
    `<rect width="100%" height="100%" fill="white"/>`,
    ...header,
    ...panels.map((lines, index) => {
      const x = (index % columns) * width;
      const y = Math.floor(index / columns) * height + headerHeight;
      return `<g transform="translate(${x} ${y})">\n${lines.join('\n')}\n</g>`;
    }),
    '</svg>\n',
  ].join('\n');
}

/** A colour for each of `names`, the same wherever they are the same. */
export function palette(names: readonly string[]): (name: string) => string {
  const sorted = [...new Set(names)].sort();
  return (name) => colours[sorted.indexOf(name) % colours.length] ?? ours;
}

export function text(x: number, y: number, content: string, attributes: string): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${x}" y="${y}" ${attributes}>${escaped}</text>`;
}

/** To a tenth of a pixel. */
export function round(value: number): number {
  return Math.round(10 * value) / 10;
}
