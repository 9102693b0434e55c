/** The user asked for something that cannot be: bad flag, bad family, bad file. Ends the run with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The machine lacks something: no compiler, no GPU, no space on the disk. Ends the run with exit code 2. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

/** First line of what was thrown, whatever that is. */
export function messageOf(thrown: unknown): string {
  try {
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    return text.split('\n')[0] ?? '';
  } catch {
    return 'something that cannot be shown';
  }
}
