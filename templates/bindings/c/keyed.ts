import type { ManifestOperation } from '../../../src/model/manifest.ts';
import type { Operand, Operation } from '../../../src/model/operation.ts';
import {
  fieldName,
  overSizes,
  patternParts,
  patternSignature,
  problemFields,
  sizeInPattern,
} from '../../../src/model/signature.ts';
import { choiceCheck, commentLines, cTypes, sizeChecks } from './operation.ts';

/** Words that a call may be told apart by: kMostWords in src/tuner/table.hpp. */
const mostWords = 32;

/** Variables of the templates of an operation's keyed calls. */
export function keyedContext(operation: Operation) {
  const { choices, operands, scalars, hints } = operation;
  const pattern = operation.pattern && patternOf(operation);
  const words = wordsOf(operation);
  const wordCount = words.length + 2;
  if (wordCount > mostWords)
    throw new Error(`${operation.name} has ${wordCount} words; ${mostWords} at most`);
  const all = Object.entries(operands);
  return {
    pattern: pattern ?? false,
    patternParameter: pattern ? `const tw_${pattern.name}* pattern, ` : '',
    unknownHosts: pattern ? [] : all.filter(([, { host }]) => host).map(([name]) => `host_${name}`),
    words,
    wordCount,
    scalars: Object.keys(scalars),
    addresses: all.map(([name, operand]) => ({ name, given: givenIf(choices, operand) })),
    details: [
      ...all.map(([name, operand]) => ({ name: `${name}.align`, value: alignment(name, operand, choices) })),
      ...Object.keys(scalars).map((name) => ({ name: `${name}.zero`, value: `call.${name} == 0` })),
      ...Object.keys(hints).map((name) => ({ name, value: `q.${name}` })),
    ],
    rounding: roundingOf(operation),
    outputs: all.filter(([, { role }]) => role !== 'input').map((entry) => output(operation, ...entry)),
  };
}

/** Of operands, before they are multiplied: to 11 bits where the switch `tf32` allows it. */
function roundingOf({ choices }: Operation): string {
  return choices.tf32?.kind === 'switch' ? 'q.tf32 == Switch::yes ? 0x1p-11 : 0' : '0';
}

/** The descriptors of all operations, each once. */
export function patternsOf(operations: readonly ManifestOperation[]) {
  const patterns = new Map<string, ReturnType<typeof patternContext>>();
  for (const { signature } of operations) {
    if (!signature.pattern) continue;
    const own = patternContext(signature);
    const known = patterns.get(own.name);
    if (known && JSON.stringify(known) !== JSON.stringify(own))
      throw new Error(`${signature.name} describes the pattern '${own.name}' unlike another operation`);
    patterns.set(own.name, own);
  }
  return [...patterns.values()];
}

function patternOf(operation: Operation) {
  const { sizes, choices, operands } = patternParts(operation);
  const rest = [...choices.map(fieldName), ...operands.map((name) => `host_${name}`)];
  const fields = [...sizes, ...rest];
  return {
    name: operation.pattern?.name ?? '',
    fieldNames: fields,
    members: [
      ...sizes.map((own) => ({ own, theirs: sizeInPattern(operation, own) })),
      ...rest.map((own) => ({ own, theirs: own })),
    ],
    fields: fields.join(', '),
    addresses: operands,
    operands: operands.join(', '),
  };
}

function patternContext(operation: Operation) {
  const { name = '', doc = '' } = operation.pattern ?? {};
  const signature = patternSignature(operation);
  const { sizes } = signature;
  const types = Object.entries(signature.choices);
  const arrays = Object.entries(signature.operands);
  return {
    name,
    doc: doc.charAt(0).toUpperCase() + doc.slice(1),
    fields: [
      ...Object.entries(sizes).map(([size, { doc }]) => ({
        c: `int64_t ${size}`,
        comment: commentLines(doc),
      })),
      ...types.map(([choice, { kind, doc }]) => ({
        c: `${cTypes[kind].type} ${fieldName(choice)}`,
        comment: commentLines(doc),
      })),
      ...arrays.map(([array, { doc }]) => ({ c: `const void* ${array}`, comment: commentLines(doc) })),
      ...arrays.map(([array]) => ({
        c: `const void* host_${array}`,
        comment: commentLines(`host copy of ${array}, or null`),
      })),
    ],
    checks: [...sizeChecks({ sizes }), ...types.flatMap((entry) => choiceCheck(...entry))],
    arrays: arrays.map(([array, operand]) => arrayContext(signature, array, operand)),
  };
}

/** An index array: its bytes, and the call of a function in problem_checks.hpp. */
function arrayContext(operation: Pick<Operation, 'sizes'>, name: string, { type, shape, host }: Operand) {
  if ('by' in shape || !host) throw new Error(`${name} is no index array of a pattern`);
  const count = shape.map((extent) => `(${overSizes(operation, extent, 'p')})`).join(' * ');
  const own = `q.host_${name}, static_cast<Index>(q.${fieldName(type)}), ${count}`;
  return {
    name,
    bytes: `${count} * bytes_of(static_cast<Index>(p.${fieldName(type)}))`,
    check:
      host.kind === 'offsets'
        ? `check_offsets(${own}, ${overSizes(operation, host.total, 'p')}, "${name}", "${host.total}")`
        : `check_indices(${own}, ${overSizes(operation, host.below, 'p')}, "${name}")`,
  };
}

/** C++ expressions of what a problem says beside its pattern: choices and hints two a word. */
function wordsOf(operation: Operation): string[] {
  const known = operation.pattern ? patternOf(operation).fieldNames : [];
  const fields = problemFields(operation).filter(({ is, name }) => is !== 'host' && !known.includes(name));
  const small = fields.filter(({ is }) => is === 'choice' || is === 'hint').map(({ name }) => `p.${name}`);
  const wide = fields.filter(({ is }) => is !== 'choice' && is !== 'hint').map(({ name }) => `p.${name}`);
  const pairs = small.flatMap((name, at) =>
    at % 2 === 0
      ? [`pair(static_cast<std::int32_t>(${name}), static_cast<std::int32_t>(${small[at + 1] ?? '0'}))`]
      : [],
  );
  return [...wide.map((name) => `static_cast<std::uint64_t>(${name})`), ...pairs];
}

/** The member of the problem with which an operand is there; empty: it always is. */
function givenIf(choices: Operation['choices'], { only }: Operand): string {
  return only === undefined || choices[only]?.when !== undefined ? '' : `p.${fieldName(only)}`;
}

/** log2 of the alignment of an operand's address and lines; 4 for one that is not there. */
function alignment(name: string, operand: Operand, choices: Operation['choices']): string {
  const given = givenIf(choices, operand);
  const bytes = `bytes_of(q.${fieldName(operand.type)})`;
  const stride =
    operand.leading === undefined
      ? ''
      : `, static_cast<std::uint64_t>(wide(q.${operand.leading}) * ${bytes})`;
  const own = `library::tuner::alignment_of(call.${name}${stride})`;
  return given === '' ? own : `(${given} ? ${own} : 4)`;
}

/** A tensor that a call writes, in C++ expressions. */
function output({ sizes }: Operation, name: string, { type, role, leading, batchStride, readWith }: Operand) {
  if (batchStride !== undefined && !('batch' in sizes))
    throw new Error(`${name} has a batch stride, but there is no size 'batch'`);
  const read = readWith === undefined ? 'true' : `call.${readWith} != 0`;
  return {
    name,
    read: role === 'inout' ? read : 'false',
    type: `q.${fieldName(type)}`,
    pitch: leading === undefined ? `width_${name}(q)` : `wide(q.${leading})`,
    products: batchStride === undefined ? 'wide(1)' : 'wide(q.batch)',
    stride: batchStride === undefined ? `extent_${name}(q)` : `wide(q.${batchStride})`,
  };
}
