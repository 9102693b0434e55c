import { describe, expect, it } from 'vitest';
import type { AnyFamily } from '../../../src/model/family.ts';
import { describeFinding } from '../../../src/render/finding.ts';
import { lintFamily, mustLint } from '../../../src/render/lint.ts';
import { enumerate } from '../../../src/space/enumerate.ts';
import { folderOf } from '../../helpers/folder.ts';
import { toyFamily } from '../../helpers/toy-family.ts';

const familyText = 'export default {\n  tileN: { label: "tn" },\n  stages: { label: "st" },\n};\n';
/** A template that is in order: it reads every parameter, and what it renders is CUDA for both devices. */
const good = `{{path}} {{block}} {{tileN}} {{stages}} {{#if swizzle}}swizzled{{/if}}
extern "C" __global__ void {{symbol}}(int n) {}
TW_EXPORT({{symbol}})
`;

function lint(
  template: string,
  partials: Readonly<Record<string, string>> = {},
  family: AnyFamily = toyFamily,
) {
  const files = Object.entries(partials).map(([name, text]) => [`partials/${name}.hbs`, text]);
  const folder = folderOf({
    'family.ts': familyText,
    'kernel.cu.hbs': template,
    ...Object.fromEntries(files),
  });
  return lintFamily(family, folder, enumerate(family, {}).variants).map(describeFinding);
}

describe('lintFamily', () => {
  it('finds nothing in a good template', () => {
    expect(lint(good)).toEqual([]);
  });

  it('finds a product of 32 bits in the address of a device header that the template includes', () => {
    const included = (product: string) =>
      folderOf({
        'family.ts': familyText,
        'kernel.cu.hbs': `#include "parts/copy.cuh"\n${good}`,
        'parts/copy.cuh': '#include "parts/place.cuh"\n',
        'parts/place.cuh': `TW_DEVICE float at(const float* from, int row, int pitch) {\n  return from[${product}];\n}\n`,
      });
    const { variants } = enumerate(toyFamily, {});
    const findings = (product: string) =>
      lintFamily(toyFamily, included(product), variants).map(describeFinding);
    expect(findings('static_cast<long long>(row) * pitch')).toEqual([]);
    expect(findings('row * pitch')).toEqual([
      'parts/place.cuh:2:1: wide-address: found `from[row * pitch`; multiply with 64 bits from the first factor on, as in static_cast<long long>(row) * stride',
    ]);
  });

  it.each([
    ['a name', '{{tileM}}', "kernel.cu.hbs:4:3: unknown name 'tileM'; did you mean 'tileN'?"],
    [
      'a condition',
      '{{#if swizle}}{{/if}}',
      "kernel.cu.hbs:4:7: unknown name 'swizle'; did you mean 'swizzle'?",
    ],
    ['else if', '{{#if swizzle}}{{else if stag}}{{/if}}', "kernel.cu.hbs:4:26: unknown name 'stag'"],
    ['an argument', '{{eq pth "mma"}}', "kernel.cu.hbs:4:6: unknown name 'pth'; did you mean 'path'?"],
    [
      'a subexpression',
      '{{#if (and swizzle (eq blok 32))}}{{/if}}',
      "kernel.cu.hbs:4:24: unknown name 'blok'",
    ],
    ['a loop', '{{#each (range stags) as |i|}}{{i}}{{/each}}', "kernel.cu.hbs:4:16: unknown name 'stags'"],
    ['a name of every object', '{{constructor}}', "kernel.cu.hbs:4:3: unknown name 'constructor'"],
    ['unless', '{{#unless typo}}{{/unless}}', "kernel.cu.hbs:4:11: unknown name 'typo'"],
    ['root data', '{{@root.typo}}', "kernel.cu.hbs:4:3: unknown name 'typo'"],
    ['an argument of a partial', '{{> part width=tileM}}', "kernel.cu.hbs:4:16: unknown name 'tileM'"],
  ])('finds an unknown name in %s', (_, text, finding) => {
    expect(lint(good + text, { part: '{{width}}' })[0]).toContain(finding);
  });

  it.each([
    ['an unknown helper', '{{lt block 64}}', "unknown helper 'lt'; there are eq, and, or, not, range"],
    ['an unknown block', '{{#when swizzle}}{{/when}}', "unknown helper 'when'; there are if, unless, each"],
    ['too few arguments', '{{eq block}}', "'eq' takes 2 arguments, it has 1"],
    ['too many arguments', '{{#if block 64}}{{/if}}', "'if' takes 1 argument, it has 2"],
    [
      'a comparison that never holds',
      '{{#if (eq path "mmma")}}{{/if}}',
      'path: "mmma" is not allowed; choose from "naive", "simt", "mma"',
    ],
    [
      'a number compared with a text',
      '{{eq block "64"}}',
      'block: "64" is not allowed; choose from 32, 64, 128',
    ],
    ['a loop over a plain value', '{{#each block}}{{/each}}', '#each needs a list, and values are plain'],
    [
      'an outer name in a loop',
      '{{#each (range 2)}}{{block}}{{/each}}',
      "'block' would be a field of the element; write '../block'",
    ],
    ['a field of a value', '{{block.size}}', "'block.size': values are plain and have no fields"],
    ['the whole context', '{{this}}', "'this' is the whole context here"],
    ['a step above the top', '{{../block}}', "'../block' goes above the template's top"],
    ['loop data outside a loop', '{{@index}}', "there is no '@index' outside #each"],
    ['an unknown partial', '{{> prt}}', "unknown partial 'prt'; there are part; did you mean 'part'?"],
    [
      'a context for a partial',
      '{{> part block}}',
      'give partials what they need by name: {{> part key=value}}',
    ],
    ['a partial that includes itself', '{{> part}}', "partials/part.hbs:1:1: partial 'part' includes itself"],
    ['an inline partial', '{{#*inline "x"}}{{/inline}}', 'inline partials are not used here'],
    ['a partial block', '{{#> part}}{{/part}}', 'partial blocks are not used here'],
    ['a triple', '{{{block}}}', "write '{{name}}': nothing is escaped here"],
    [
      'braces of C++',
      'int a[1][2] = {{1, 2}};',
      "kernel.cu.hbs:4:1: does not parse near `...}})int a[1][2] = {{1, 2}};` (unexpected INVALID); write '{ {'",
    ],
    ['an open block', '{{#if block}}', 'does not parse near'],
  ])('finds %s', (_, text, message) => {
    expect(lint(good + text, { part: '{{> part}}' }).join('\n')).toContain(message);
  });

  it('understands loops: elements, block parameters, outer names and partials with arguments', () => {
    const text = `{{#each (range stages) as |i|}}{{i}}{{this}}{{@index}}{{../block}}{{#if ../swizzle}}{{i}}{{/if}}{{/each}}{{> part width=tileN}}`;
    expect(lint(good + text, { part: '{{width}} {{block}}' })).toEqual([]);
  });

  it('looks into partials, with their own place', () => {
    expect(lint(`${good}{{> part}}`, { part: '\n  {{tileM}}' })).toEqual([
      "partials/part.hbs:2:5: unknown name 'tileM'; did you mean 'tileN'?",
    ]);
  });

  it('finds a parameter that matters and is not read, where it is declared', () => {
    expect(lint(good.replace('{{stages}}', ''))).toEqual([
      "family.ts:3:3: kernel.cu.hbs never reads 'stages', which matters for its variants; read it, or say readBy: 'launch' or activeWhen",
    ]);
  });

  it('counts a parameter as read through a derived value', () => {
    expect(lint(good.replace('{{block}} {{tileN}}', '{{area}}'))).toEqual([]);
  });

  it('leaves parameters of the launch code alone, and says when a template reads one', () => {
    const stages = { ...toyFamily.parameters.stages, readBy: 'launch' } as AnyFamily['parameters'][string];
    const family = { ...toyFamily, parameters: { ...toyFamily.parameters, stages } };
    expect(lint(good.replace('{{stages}}', ''), {}, family)).toEqual([]);
    expect(lint(good, {}, family)[0]).toContain("'stages' says readBy: 'launch', but kernel.cu.hbs reads it");
  });

  it('finds a derived name that only some variants have', () => {
    const family = {
      ...toyFamily,
      derive: ({ path }: { path: string }) => (path === 'mma' ? { warps: 4 } : {}),
    };
    expect(lint(`${good}{{#if warps}}{{/if}}`, {}, family as AnyFamily)[0]).toContain(
      "derive() gives 'warps' for some variants of this template only",
    );
  });

  it('stops a run with every finding and where it is', () => {
    const folder = folderOf({ 'family.ts': familyText, 'kernel.cu.hbs': '{{tileM}}\n{{#if typo}}{{/if}}' });
    const lint = () => mustLint(toyFamily, folder, enumerate(toyFamily, {}).variants);
    expect(lint).toThrow(
      `the templates of toy-op do not fit its family.ts:\n  ${folder}/kernel.cu.hbs:1:3: unknown name`,
    );
    expect(lint).toThrow("kernel.cu.hbs:2:7: unknown name 'typo'");
  });

  it('checks what is rendered, too', () => {
    const findings = lint(`${good}__device__ void f() { asm volatile("nop;"); }\n`);
    expect(findings[0]).toMatch(/^kernel\.cu\.hbs:1:1: rendered toy_op\..*: no-asm: found `asm volatile`/);
  });
});
