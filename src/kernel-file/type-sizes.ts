import { splitCommas, type Token } from './tokens.ts';

const pointed = String.raw`\* (\w+)|(\w+) \[ 0 \]`;
const operandOfSize = new RegExp(String.raw`^(?:\( (?:${pointed}) \)|${pointed})(?= |$)`);

/** `sizeof *p`, `sizeof(*p)` and `sizeof(p[0])` as the bytes of what the declared pointer points to. */
export function withSizes(part: readonly Token[], before: readonly Token[]): readonly Token[] {
  const result: Token[] = [];
  for (let i = 0; i < part.length; i++) {
    const token = part[i] as Token;
    const behind = part.slice(i + 1, i + 7).map(({ text }) => text);
    const [operand, ...names] = operandOfSize.exec(behind.join(' ')) ?? [];
    const name = names.find((one) => one !== undefined);
    const size = token.text === 'sizeof' && name ? bytes[pointedType(name, before)] : undefined;
    result.push(size === undefined ? token : { ...token, kind: 'number', text: String(size) });
    if (size !== undefined) i += operand?.split(' ').length ?? 0;
  }
  return result;
}

/** `float` where `float *a, *name` is declared; empty where nothing like that is found. */
function pointedType(name: string, before: readonly Token[]): string {
  for (let i = 0; i < before.length; i++) {
    if (before[i]?.text !== name || before[i - 1]?.text !== '*') continue;
    const statement = before.slice(
      before.findLastIndex(({ text }, k) => k < i && /^[;{}(]$/.test(text)) + 1,
      i,
    );
    const own = splitCommas(statement).at(-1) ?? [];
    const words = [own, statement].map((tokens) => typeWords(tokens)).find((text) => text in bytes);
    if (words !== undefined) return words;
  }
  return '';
}

/** The words before the first star, without what qualifies them. */
function typeWords(tokens: readonly Token[]): string {
  const star = tokens.findIndex(({ text }) => text === '*');
  return tokens
    .slice(0, star < 0 ? undefined : star)
    .map(({ text }) => text)
    .filter((text) => !/^(const|static)$/.test(text))
    .join(' ');
}

/** Bytes of C++'s and CUDA's own types. */
export const bytes: Readonly<Record<string, number>> = {
  float: 4,
  int: 4,
  double: 8,
  half: 2,
  __half: 2,
  unsigned: 4,
  float4: 16,
  char: 1,
  ...{
    'unsigned int': 4,
    'unsigned char': 1,
    uint8_t: 1,
    int8_t: 1,
    uint32_t: 4,
    int32_t: 4,
    bool: 1,
    ...{ short: 2, 'unsigned short': 2, int16_t: 2, uint16_t: 2, ushort: 2 },
  },
  ...{ float2: 8, double2: 16, int2: 8, int4: 16, __half2: 4, half2: 4, nv_bfloat16: 2, __nv_bfloat16: 2 },
  ...{
    long: 8,
    'unsigned long': 8,
    'long long': 8,
    'unsigned long long': 8,
    int64_t: 8,
    uint64_t: 8,
    size_t: 8,
  },
};
