import { narrowAddresses } from './address-lint.ts';

/** A place in rendered CUDA text that would not run on every device, and what to write there. */
export interface CudaFinding {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly rule: string;
  /** The offending text, on one line. */
  readonly found: string;
  readonly instead: string;
}

interface CudaRule {
  readonly name: string;
  /** Matched against the text without comments and literals; needs the flag `g`. */
  readonly pattern: RegExp;
  readonly instead: string;
}

const WRAPPERS = 'kit/device/tw/ptx.cuh';

/** Constructs that a kernel must not contain, so that one source runs on a GPU and on the emulated device. */
export const CUDA_RULES: readonly CudaRule[] = [
  {
    name: 'no-asm',
    pattern: /\b(?:asm|__asm|__asm__)\b(?:\s+volatile\b|\s+__volatile__\b)?/g,
    instead: `call the instruction's wrapper (ptx::…); if there is none, add it to ${WRAPPERS} with both branches`,
  },
  {
    name: 'one-shared-declaration',
    pattern: /\b(?:extern\s+)?__shared__\b[^;{]*/g,
    instead:
      'declare TW_SHARED(shared) once at the top of the kernel and carve it up by constant byte offsets',
  },
  {
    name: 'no-launch',
    pattern: /\b\w+\s*<<<[^;]*/g,
    instead: "leave launches to the family's launch.hpp: a kernel file holds device code only",
  },
  {
    name: 'no-library-synchronisation',
    pattern: /\bcuda::\w+(?:::\w+)*|\bcooperative_groups\b|\bcg::\w+|\b__pipeline_\w+/g,
    instead:
      'use __syncthreads, ptx::bar_sync, ptx::mbarrier_*, ptx::cp_async* or ptx::cluster_*: they run everywhere',
  },
  {
    name: 'no-wmma',
    pattern: /\bnvcuda::\w+(?:::\w+)*|\bwmma::\w+/g,
    instead: 'use ptx::ldmatrix_x4 with ptx::mma_m16n8k16<T>, or ptx::wgmma<T, …>',
  },
  {
    name: 'constant-barrier-id',
    pattern: /\b(?:bar_sync|bar_arrive)(?:_of)?\s*\([^;]*/g,
    instead:
      'give id and thread count as constants: ptx::bar_sync<kBarrier, kThreads>(), ptx::bar_sync_of<kFirst, kCount, kThreads>(index)',
  },
  {
    name: 'no-poll-loop',
    pattern: /\b(?:while|for)\s*\((?:[^(){}]|\([^(){}]*\))*?try_wait[^{};]*/g,
    instead:
      'call ptx::mbarrier_wait(barrier, parity): it waits on both devices and can be limited while debugging',
  },
  {
    name: 'wrappers-only-include',
    pattern: /^[ \t]*#[ \t]*include[ \t]*<[^>\n]*>/gm,
    instead:
      'include "tw/ptx.cuh" or another header of "tw/": they bring cuda_fp16.h, cuda_bf16.h and <cstdint>',
  },
];

const COMMENT_OR_LITERAL = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'/g;

/** The text with comments and literals blanked out; every offset stays what it was. */
function codeOnly(text: string): string {
  return text.replace(COMMENT_OR_LITERAL, (match) => match.replace(/[^\n]/g, ' '));
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function oneLine(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 77)}...` : line;
}

/** Kernels without TW_EXPORT: the emulated device would not find them. */
function missingExports(file: string, code: string): CudaFinding[] {
  const kernels = code.matchAll(
    /\b__global__\b\s*(?:void\b\s*)?(?:__launch_bounds__\s*\([^)]*\)\s*)?(?:void\s+)?(\w+)\s*\(/g,
  );
  return [...kernels].flatMap((match) => {
    const name = match[1] ?? '';
    if (new RegExp(`\\bTW_EXPORT\\s*\\(\\s*${name}\\s*\\)`).test(code)) return [];
    const instead = `add TW_EXPORT(${name}) behind the kernel`;
    return [
      {
        file,
        line: lineAt(code, match.index),
        rule: 'exported-kernel',
        found: `kernel ${name} without TW_EXPORT`,
        instead,
      },
    ];
  });
}

/** Products of 32 bits in addresses: right on every problem that is small. */
function narrowProducts(file: string, code: string, headers: string): CudaFinding[] {
  return narrowAddresses(code, codeOnly(headers)).map(({ at, found }) => ({
    file,
    line: lineAt(code, at),
    rule: 'wide-address',
    found: oneLine(found),
    instead: 'multiply with 64 bits from the first factor on, as in static_cast<long long>(row) * stride',
  }));
}

/**
 * Checks rendered CUDA text; findings in order of lines. `file` is only quoted in them. `headers`: texts of those that declare
 * the members that it uses.
 */
export function lintCuda(file: string, text: string, headers = ''): CudaFinding[] {
  const code = codeOnly(text);
  const findings = CUDA_RULES.flatMap((rule) =>
    [...code.matchAll(rule.pattern)].map((match) => ({
      file,
      line: lineAt(code, match.index + (match[0].length - match[0].trimStart().length)),
      rule: rule.name,
      found: oneLine(match[0]),
      instead: rule.instead,
    })),
  );
  return [...findings, ...missingExports(file, code), ...narrowProducts(file, code, headers)].sort(
    (a, b) => a.line - b.line,
  );
}

/** Checks a device header's addresses. `headers`: texts of all that declare the members that it uses. */
export function lintHeader(file: string, text: string, headers: string): CudaFinding[] {
  return narrowProducts(file, codeOnly(text), headers);
}

/** One line for a person: where, what, and how to write it instead. */
export function describeCudaFinding(finding: CudaFinding): string {
  return `${finding.file}:${finding.line}: ${finding.rule}: found \`${finding.found}\`; ${finding.instead}`;
}
