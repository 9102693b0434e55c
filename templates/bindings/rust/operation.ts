import { type ChoiceKind, choiceKinds, type Operation } from '../../../src/model/operation.ts';
import {
  type CallField,
  callFields,
  fieldName,
  numberOf,
  type ProblemField,
  problemFields,
  valueName,
} from '../../../src/model/signature.ts';

/** Numbers of `tw_status` in tilewright.h, in order; the layout test compares them. */
export const statuses = [
  'SUCCESS',
  'INVALID_ARGUMENT',
  'NOT_SUPPORTED',
  'NO_DEVICE',
  'WORKSPACE_TOO_SMALL',
  'LAUNCH_FAILED',
  'OUT_OF_MEMORY',
  'INTERNAL',
].map((name, number) => ({ name, number }));

interface Words {
  readonly doc: string;
  /** In C, and in tilewright-sys. */
  readonly type: string;
  readonly prefix: string;
  /** In the safe crate. */
  readonly enumeration: string;
}

const words: Readonly<Record<Exclude<ChoiceKind, 'switch'>, Words>> = {
  type: { doc: 'Element type.', type: 'tw_type', prefix: 'TW_TYPE_', enumeration: 'Type' },
  index: { doc: 'Type of an index array.', type: 'tw_index', prefix: 'TW_INDEX_', enumeration: 'Index' },
  layout: {
    doc: 'Order of a matrix in memory: rows one after the other, or columns.',
    type: 'tw_layout',
    prefix: 'TW_LAYOUT_',
    enumeration: 'Layout',
  },
  activation: {
    doc: 'Function applied to each element of a result.',
    type: 'tw_activation',
    prefix: 'TW_ACTIVATION_',
    enumeration: 'Activation',
  },
};

/** Semantic choices that are enumerations in C. */
export const vocabulary = Object.entries(words).map(([kind, word]) => {
  const values = choiceKinds[kind as keyof typeof words].map((value, number) => ({
    constant: word.prefix + valueName(value).toUpperCase(),
    variant: pascalCase(value),
    text: value,
    number,
  }));
  return { ...word, ffi: 'c_uint', values, constants: values.map(({ constant }) => constant).join(', ') };
});

function pascalCase(value: string): string {
  return value.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** What the templates of an operation's modules print of its signature. */
export function operationContext(operation: Operation) {
  return {
    operation: operation.name,
    module: identifier(operation.name),
    formula: operation.formula,
    doc: wrap(operation.doc),
    problem: problemFields(operation).map((field) => ({
      name: identifier(field.name),
      cName: field.name,
      doc: docLines(field.doc),
      ffi: ffiType(field),
    })),
    call: callFields(operation).map((field) => ({
      name: identifier(field.name),
      cName: field.name,
      doc: docLines(field.doc),
      ffi: ffiCallType(field),
    })),
  };
}

function ffiType(field: ProblemField): string {
  if (field.is === 'host') return '*const c_void';
  if (field.is === 'hint') return 'i32';
  if (field.is !== 'choice') return 'i64';
  return field.choice.kind === 'switch' ? 'i32' : words[field.choice.kind].type;
}

function ffiCallType(field: CallField): string {
  if (field.is === 'scalar') return 'f32';
  return field.operand.role === 'input' ? '*const c_void' : '*mut c_void';
}

/** Keywords that a signature may well use as names. */
const keywords = new Set(
  'as break const crate else enum fn for if impl in let loop match mod move mut pub ref return self static struct super trait type unsafe use where while yield'.split(
    ' ',
  ),
);

function identifier(name: string): string {
  return keywords.has(name) ? `r#${name}` : name;
}

/** Columns of a doc comment. */
const lineWidth = 116;

/** A doc string as the lines of a Rust comment. */
function docLines(doc: string): string[] {
  return wrap(`${doc.charAt(0).toUpperCase()}${doc.slice(1)}${doc.endsWith('.') ? '' : '.'}`);
}

/** Lines of Markdown: shapes in brackets are no links. */
function wrap(text: string): string[] {
  const lines = [''];
  for (const word of text.replaceAll(/\[[^\]]*\](?:\[[^\]]*\])*/g, (shape) => `\`${shape}\``).split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= lineWidth) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
