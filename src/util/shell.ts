/** An argument as a shell takes it, so that the command can be given again. */
export function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

/** `--case ragged --seed 3`, with a blank in front; nothing for what is undefined. */
export function flagText(values: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => ` --${name} ${quoted(String(value))}`).join('');
}
