/** Names that mean something else in a template: what the engine adds to every context, and its helpers. */
export const reservedNames: readonly string[] = [
  'symbol',
  'id',
  'family',
  'summary',
  'eq',
  'and',
  'or',
  'not',
  'range',
  'if',
  'unless',
  'each',
  'else',
  'this',
];
