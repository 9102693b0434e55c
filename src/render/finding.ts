/** Something wrong with a template, or with what becomes of it. */
export interface LintFinding {
  /** Relative to the family's folder. */
  readonly file: string;
  /** Counted from 1, like columns in editors. */
  readonly line: number;
  readonly column: number;
  /** The fault, what is allowed, and what to write instead. */
  readonly message: string;
}

/** `mma.cu.hbs:12:9: unknown name 'tileM'; did you mean 'tileN'?` */
export function describeFinding({ file, line, column, message }: LintFinding): string {
  return `${file}:${line}:${column}: ${message}`;
}
