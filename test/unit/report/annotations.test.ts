import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../../src/model/verdict.ts';
import { annotation } from '../../../src/report/annotations.ts';

function judged(verdict: Verdict['verdict'], message: string) {
  return {
    kernel: 'k',
    verdict: { variant: 'a.cu:k', device: 'emulated', verdict, evidence: { message } } as const,
  };
}

describe('annotations of a workflow', () => {
  it('name file, line and verdict', () => {
    expect(annotation(judged('race', 'byte 0: store at a.cu:22 and load at a.cu:31'), 'src/a.cu')).toBe(
      '::error file=src/a.cu,line=22,title=k%3A race::byte 0: store at a.cu:22 and load at a.cu:31\n',
    );
  });

  it('escape what would end them', () => {
    expect(annotation(judged('wrong', '50% off\nhere'), 'a,b.cu')).toBe(
      '::error file=a%2Cb.cu,line=1,title=k%3A wrong::50%25 off%0Ahere\n',
    );
  });

  it('warn of what was not checked, and say nothing of what passed', () => {
    expect(annotation({ kernel: 'k', refusal: 'a.cu:7: no' }, 'a.cu')).toBe(
      '::warning file=a.cu,line=7,title=k was not checked::a.cu:7: no\n',
    );
    expect(annotation(judged('passed', 'passed'), 'a.cu')).toBe('');
  });
});
