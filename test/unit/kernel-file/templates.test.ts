import { describe, expect, it } from 'vitest';
import { readItems } from '../../../src/kernel-file/items.ts';
import { kernelsIn, signatureOf } from '../../../src/kernel-file/signature.ts';
import { findSite } from '../../../src/kernel-file/sites.ts';
import type { ReadSource } from '../../../src/kernel-file/source.ts';
import { usualArguments } from '../../../src/kernel-file/templates.ts';
import { tokenise } from '../../../src/kernel-file/tokens.ts';

/** Arguments for the kernel `k` of the parameters `head`, launched by `launch`. */
function argumentsOf(head: string, body: string, launch: string) {
  const text = `# 1 "a.cu"\nstruct Relu {};\ntemplate <${head}> tw_marks_global void k(float* p, F f) { ${body} }\nvoid host(float* p) { ${launch}; }\n`;
  const items = readItems(tokenise(text));
  const signature = signatureOf(kernelsIn(items)[0] as NonNullable<ReturnType<typeof kernelsIn>[0]>, items);
  return usualArguments(signature, findSite(items, signature), { items } as unknown as ReadSource);
}

describe('template arguments of a launch', () => {
  it.each([
    ['class F', 'p[0] = f;', 'k<<<1, 1>>>(p, 1)', ['float']],
    ['class F', 'p[0] = f(1);', 'k<<<1, 1>>>(p, Relu{})', ['Relu']],
    ['class F', 'p[0] = f(1);', 'k<Relu><<<1, 1>>>(p, made())', ['Relu']],
    ['class F', 'p[0] = f.x;', 'k<float4><<<1, 1>>>(p, v)', ['float4']],
    ['int N, class F', 'p[0] = f(N);', 'k<3><<<1, 1>>>(p, Relu())', ['3', 'Relu']],
    ['int N, class F = Relu', 'p[0] = f(N);', 'k<3><<<1, 1>>>(p, made())', ['3']],
    ['int N, class F = double', 'p[0] = f;', 'k<3><<<1, 1>>>(p, 1)', ['3']],
  ])('of <%s> with { %s } in %s are %j', (head, body, launch, expected) => {
    expect(argumentsOf(head, body, launch)).toEqual(expected);
  });

  it.each([
    ['class F', 'k<<<1, 1>>>(p, made())', 'kernel: k<…> */, with a class for F'],
    ['class T, class F', 'k<T><<<1, 1>>>(p, made())', 'kernel: k<float, …> */, with a class for F'],
    ['int N, class F', 'k<3><<<1, 1>>>(p, Local{})', 'kernel: k<3, …> */, with a class for F'],
    ['int N, class F', 'k<<<1, 1>>>(p, made())', 'kernel: k<…, …> */, with a class for F'],
  ])('are asked for where no number can stand for <%s>, and %s does not tell', (head, launch, asked) => {
    const about = "a.cu:2: the template parameter 'F' of k is not known: 'f' is called, or has members";
    expect(() => argumentsOf(head, 'p[0] = f(1);', launch)).toThrow(about);
    expect(() => argumentsOf(head, 'p[0] = f(1);', launch)).toThrow(asked);
  });
});
