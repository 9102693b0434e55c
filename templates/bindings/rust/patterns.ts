import type { Operation } from '../../../src/model/operation.ts';
import { fieldName, patternParts, problemFields } from '../../../src/model/signature.ts';
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
  const parts = patternParts(operation);
  const known = [...parts.sizes, ...parts.choices.map(fieldName)];
  const fields = problemFields(operation).filter((field) => known.includes(field.name));
  const array = (cName: string, text: string) => ({ ...named(cName, text), ffi: '*const c_void' });
  const sizes = parts.sizes.map(identifier);
  const choices = parts.choices.map(member);
  const first = identifier(parts.operands[0] ?? '');
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
    arrays: parts.operands.map((operand) => ({
      name: identifier(operand),
      label: operand,
      first,
      elements: elementsOf(operation, operand),
    })),
    name,
    doc: doc.charAt(0).toUpperCase() + doc.slice(1),
    fields: [
      ...fields.map((field) => ({ ...named(field.name, field.doc), ffi: ffiType(field) })),
      ...parts.operands.map((operand) => array(operand, operation.operands[operand]?.doc ?? '')),
      ...parts.operands.map((operand) => array(`host_${operand}`, `host copy of ${operand}, or null`)),
    ],
  };
}

function named(cName: string, doc: string) {
  return { name: identifier(cName), cName, doc: docLines(doc) };
}

/** Rust expression over the sizes of `q`. */
function elementsOf(operation: Operation, operand: string): string {
  const shape = operation.operands[operand]?.shape;
  if (shape === undefined || 'by' in shape) throw new Error(`${operand} is no index array of a pattern`);
  return product(operation, shape);
}
