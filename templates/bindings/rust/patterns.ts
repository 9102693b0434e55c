import type { Operation } from '../../../src/model/operation.ts';
import { patternSignature, problemFields } from '../../../src/model/signature.ts';
import { docLines, ffiType, identifier, member, patternType, product } from './operation.ts';

/** The descriptors of patterns of all operations, each once; the C library has refused operations that disagree. */
export function patternsOf(operations: readonly Operation[]) {
  const named = operations.flatMap((operation) =>
    operation.pattern === undefined
      ? []
      : [[operation.pattern.name, patternContext(operation, operation.pattern)] as const],
  );
  return [...new Map(named).values()];
}

function patternContext(operation: Operation, { name, doc }: NonNullable<Operation['pattern']>) {
  const signature = patternSignature(operation);
  const fields = problemFields({ ...signature, operands: {}, hints: {} });
  const operands = Object.entries(signature.operands);
  const array = (cName: string, text: string) => ({ ...named(cName, text), ffi: '*const c_void' });
  const sizes = Object.keys(signature.sizes).map(identifier);
  const choices = Object.keys(signature.choices).map(member);
  const first = identifier(operands[0]?.[0] ?? '');
  return {
    module: `${name}_pattern`,
    type: patternType(name),
    sizes,
    choices,
    parts: [
      ...sizes.map((size) => ({ name: size, rust: 'i64' })),
      ...choices.map((choice) => ({ name: choice, rust: 'Index' })),
    ],
    firstArray: first,
    arrays: operands.map(([operand, { shape }]) => ({
      name: identifier(operand),
      label: operand,
      first,
      elements: 'by' in shape ? '' : product(signature, shape),
    })),
    name,
    doc: doc.charAt(0).toUpperCase() + doc.slice(1),
    fields: [
      ...fields.map((field) => ({ ...named(field.name, field.doc), ffi: ffiType(field) })),
      ...operands.map(([operand, { doc: text }]) => array(operand, text)),
      ...operands.map(([operand]) => array(`host_${operand}`, `host copy of ${operand}, or null`)),
    ],
  };
}

function named(cName: string, doc: string) {
  return { name: identifier(cName), cName, doc: docLines(doc) };
}
