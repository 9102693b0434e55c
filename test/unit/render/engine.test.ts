import { describe, expect, it } from 'vitest';
import { renderText, TemplateFolder } from '../../../src/render/engine.ts';
import { folderOf } from '../../helpers/folder.ts';

const context = {
  tileN: 64,
  stages: 0,
  path: 'mma',
  swizzle: false,
  type: 'array<half, 2>',
  list: { inner: 5 },
};
const render = (text: string) => renderText(text, context, 'kernel.cu.hbs');

describe('renderText', () => {
  it.each([
    ['prints numbers side by side instead of adding them', '{{tileN}}{{stages}}', '640'],
    ['does so in blocks, too', '{{#if path}}{{tileN}}{{tileN}}{{/if}}{{#if path}}{{stages}}{{/if}}', '64640'],
    ['escapes nothing', '{{type}} a & b', 'array<half, 2> a & b'],
    ['prints booleans', 'constexpr bool kSwizzle = {{swizzle}};', 'constexpr bool kSwizzle = false;'],
    ['compares type and value', '{{eq path "mma"}} {{eq tileN 64}} {{eq tileN "64"}}', 'true true false'],
    ['has and, or, not', '{{and path swizzle}} {{or path swizzle}} {{not swizzle}}', 'false true true'],
    ['counts', '{{#each (range 3) as |i|}}a{{i}} {{../tileN}}; {{/each}}', 'a0 64; a1 64; a2 64; '],
    ['takes 0 for false', '{{#if stages}}yes{{else}}no{{/if}}', 'no'],
    ['chains conditions', '{{#if swizzle}}a{{else if (eq path "mma")}}b{{else}}c{{/if}}', 'b'],
    ['reads fields of what is not flat', '{{list.inner}}', '5'],
    ['leaves no line of a block behind', 'a\n{{#if path}}\nb\n{{/if}}\nc\n', 'a\nb\nc\n'],
  ])('%s', (_, text, expected) => {
    expect(render(text)).toBe(expected);
  });

  it.each([
    ['{{tileM}}', "kernel.cu.hbs:1:3: unknown name 'tileM'"],
    ['\n  {{list.outer}}', "kernel.cu.hbs:2:5: unknown name 'outer'"],
    ['{{log tileN}}', 'kernel.cu.hbs:1:1: You specified knownHelpersOnly, but used the unknown helper log'],
    ['{{> tile}}', 'kernel.cu.hbs: The partial tile could not be found'],
    ['{{#if path}}', 'kernel.cu.hbs: Parse error on line 1'],
  ])('refuses %s', (text, message) => {
    expect(() => render(text)).toThrow(message);
  });
});

describe('TemplateFolder', () => {
  it('renders with partials, indented where they are called', () => {
    const folder = folderOf({
      'kernel.cu.hbs': 'void f() {\n  {{> body count=tileN}}\n}\n',
      'partials/body.hbs': 'int a = {{count}};\nint b = {{tileN}};\n',
    });
    const templates = new TemplateFolder(folder);
    expect(templates.partials).toEqual(['body']);
    expect(templates.render('kernel.cu.hbs', context)).toBe('void f() {\n  int a = 64;\n  int b = 64;\n}\n');
  });

  it('says which template is missing', () => {
    const folder = folderOf();
    expect(() => new TemplateFolder(folder).render('kernel.cu.hbs', {})).toThrow(
      `there is no template ${folder}/kernel.cu.hbs`,
    );
  });
});
