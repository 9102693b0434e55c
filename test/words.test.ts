// The words of docs/glossary.md: those that it retires are in no file that people read or compile. Doc comments are noun phrases.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastGlob from 'fast-glob';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../src/util/package-root.ts';

const glossary = 'docs/glossary.md';
/** The glossary lists the retired words, the lint has some as examples. */
const exempt = [glossary, 'test/words.test.ts'];
const folders = [
  ...['src', 'templates', 'harness', 'kit', 'docs', 'bench', 'examples', 'test', 'integrations'],
];
const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];

/** A retired word or phrase and its replacement. */
interface Retired {
  readonly word: string;
  readonly instead: string;
  /** A name that has the word from elsewhere. */
  readonly except: string;
}

/** Rows of the table behind the heading `Retired words`, a word each. */
function retiredIn(page: string): Retired[] {
  const [, table = ''] = page.split('## Retired words');
  const rows = [...table.matchAll(/^\| (?<words>.+?) \| (?<instead>.+?) \| (?<except>.*?) *\|$/gm)].slice(1);
  return rows.flatMap(({ groups: { words = '', instead = '', except = '' } = {} }) =>
    words.split(', ').map((word) => ({ word, instead, except })),
  );
}

/** The words of a line: names fall into their parts; methods and links to evidence are left out. */
function wordsOf(line: string): string {
  return ` ${line} `
    .replace(/\]\(results\/[^)]*\)/g, ' ')
    .replace(/\.\w+\(/g, ' (')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replace(/[_\W]+/g, ' ')
    .toLowerCase();
}

/** `file:line: word; what to say instead`, for every retired word of a text. */
function found(file: string, text: string, retired: readonly Retired[]): string[] {
  const exceptions = retired.flatMap(({ except }) => (except === '' ? [] : [except]));
  const own = exceptions.reduce((left, name) => left.replaceAll(name, ''), text);
  const insteadOf = new Map(retired.map(({ word, instead }) => [word, instead]));
  const any = new RegExp(`(?<= )(?:${[...insteadOf.keys()].join('|')})(?= )`, 'g');
  return own
    .split('\n')
    .flatMap((line, index) =>
      [...wordsOf(line).matchAll(any)].map(
        ([word]) => `${file}:${index + 1}: '${word}' is retired; say: ${insteadOf.get(word)} (${glossary})`,
      ),
    );
}

/** A question's word behind the mark of a comment: of a line, of a block or its first star, of a docstring. */
const heads =
  /(?<=^|\n)([^\n]*?)(\/\*\*?(?:\s*\n\s*\*)?|\/\/\/?|""") *(What|Which|Who|Where|How|Why|When)\b/g;

/** `file:line: …`, for every comment that begins with a question's word. A line that goes on with the comment above it may. */
function questions(file: string, text: string): string[] {
  return [...text.matchAll(heads)].flatMap(({ index, 1: before = '', 2: mark = '', 3: word }) => {
    const lines = text.slice(0, index).split('\n');
    const above = lines.at(-2)?.trim() ?? '';
    if (mark.startsWith('//') && before.trim() === '' && above.startsWith(mark)) return [];
    return [
      `${file}:${lines.length}: the comment begins with '${word}'; begin with a noun: 'Verdicts by variant id'`,
    ];
  });
}

const retired = retiredIn(readFileSync(join(packageRoot, glossary), 'utf8'));

describe('the lint of words', () => {
  const one = [{ word: 'deal', instead: 'assign', except: 'dealOut' }];

  it('names file, line, word and replacement', () => {
    expect(found('a.cpp', 'int x;\nLists deal_rows();', one)).toEqual([
      "a.cpp:2: 'deal' is retired; say: assign (docs/glossary.md)",
    ]);
  });

  it.each(['kDealRows', 'dealRows(', 'DEAL', '/// Deal them.', 'HTTPDeal'])('finds it in %s', (text) => {
    expect(found('a', text, one)).toHaveLength(1);
  });

  it.each(['ideal', 'dealer', 'text.deal()', 'dealOut(x)', '[x](results/deal.json)'])('passes %s', (text) => {
    expect(found('a', text, one)).toEqual([]);
  });

  it('reads the table of the glossary', () => {
    expect(retired).toContainEqual({ word: 'mailbox', instead: 'work queue, next tile', except: '' });
    expect(retired.length).toBeGreaterThan(20);
  });
});

it('no file says a retired word', () => {
  const files = fastGlob.sync(
    [
      ...folders.map((folder) => `${folder}/**/*.{ts,mjs,py,rs,c,h,cpp,hpp,cu,cuh,hbs,md,txt,cmake,yml,sh}`),
      ...pages,
    ],
    { cwd: packageRoot, ignore: [...exempt, 'docs/results/**', '**/build/**', '**/node_modules/**'] },
  );
  expect(files.length).toBeGreaterThan(500);
  const places = files.flatMap((file) => found(file, readFileSync(join(packageRoot, file), 'utf8'), retired));
  expect(places).toEqual([]);
});

describe('the lint of comments', () => {
  it.each([
    '/** What a run is asked to do. */',
    '/**\n * How far a walk is.\n */',
    '  /// Why it does not fit.',
    'int x;  // When it began.',
    '/* Where it lies. */',
    'def f():\n    """Who serves it."""',
  ])('finds %j', (text) => {
    expect(questions('a', text)).toHaveLength(1);
  });

  it.each([
    '/** Whether it fits. */',
    '/// Kernels and times.\n/// Where there are none, nothing.',
    '// Whatever it is.',
    "const text = 'What?';",
  ])('passes %j', (text) => {
    expect(questions('a', text)).toEqual([]);
  });
});

it('comments begin with a noun, not with a question', () => {
  const folders = ['src', 'bench', 'harness', 'kit', 'templates'];
  const files = fastGlob.sync(
    folders.map((folder) => `${folder}/**/*.{ts,mjs,py,rs,c,h,cpp,hpp,cu,cuh,hbs}`),
    { cwd: packageRoot, ignore: ['**/build/**'] },
  );
  expect(files.length).toBeGreaterThan(400);
  expect(files.flatMap((file) => questions(file, readFileSync(join(packageRoot, file), 'utf8')))).toEqual([]);
});
