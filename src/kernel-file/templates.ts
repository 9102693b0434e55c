import { UsageError } from '../errors.ts';
import type { Item } from './items.ts';
import { elementOf, type Signature } from './signature.ts';
import type { Site } from './sites.ts';
import type { ReadSource } from './source.ts';

/** Template arguments of the launch in the file; `float` where one is a type of the host's own, or there are none. */
export function usualArguments(
  signature: Signature,
  site: Site | undefined,
  { items }: ReadSource,
): readonly string[] | undefined {
  const { template, onlyTypes, parameters } = signature;
  const classes = classesOf(signature);
  const spelled = (name: string) =>
    parameters.flatMap((one) =>
      classes.has(name) && one.type === name ? (site?.types[one.name] ?? []) : [],
    )[0];
  const given = template.map((name, i) => site?.template[i] ?? spelled(name));
  const isType = (name: string) => onlyTypes || parameters.some(({ type }) => type === name);
  const isOpen = (name: string, i: number) => classes.has(name) && !isDeclared(given[i] ?? '', items);
  const values = template.map((name, i) => {
    if (isOpen(name, i)) return '…';
    const value = given[i] ?? '';
    const isMeant = !isType(name) || classes.has(name) || elementOf(value, items).element !== undefined;
    return isMeant ? value || '…' : 'float';
  });
  const open = template.find(isOpen);
  if (open !== undefined && !hasDefaults(signature.item)) throw askForClass(signature, open, values);
  return open !== undefined || (!onlyTypes && given.includes(undefined)) ? site?.template : values;
}

/** Template parameters that no number can stand for: of type `F` is an `f` that is called, or whose members are used. */
function classesOf({ template, parameters, item: { tokens, body = 0 } }: Signature): ReadonlySet<string> {
  const isUsed = (name: string) =>
    tokens.some(
      ({ text }, i) =>
        i > body &&
        text === name &&
        /^[(.]$/.test(tokens[i + 1]?.text ?? '') &&
        !/^(\.|->|::)$/.test(tokens[i - 1]?.text ?? ''),
    );
  const used = parameters.filter(({ name, pointer }) => !pointer && isUsed(name)).map(({ type }) => type);
  return new Set(template.filter((name) => used.includes(name)));
}

/** Whether a type is a vector of CUDA's, or one that the source declares, `ns::Scale<2>`. */
function isDeclared(type: string, items: readonly Item[]): boolean {
  if (elementOf(type, items).element !== undefined) return true;
  const name = type.replace(/<.*/s, '').split('::').at(-1)?.trim() ?? '';
  return items.some(({ kind, names }) => kind === 'type' && names.includes(name));
}

/** The question for a class that stands for a template parameter, where no launch tells it. */
function askForClass(
  { name, parameters, file, line }: Signature,
  unknown: string,
  example: readonly string[],
): UsageError {
  const argument = parameters.find(({ type }) => type === unknown)?.name ?? '';
  return new UsageError(
    `${file}:${line}: the template parameter '${unknown}' of ${name} is not known: '${argument}' is called, or has members, and no launch in the file spells a type for it that the file declares; say it above the kernel: /* tilewright kernel: ${name}<${example.join(', ')}> */, with a class for ${unknown}`,
  );
}

/** Throws a UsageError for a template of which nothing says what it is instantiated with. */
export function mustBeInstantiated(
  { template, name, file, line, item }: Signature,
  values: readonly string[],
): void {
  if (template.length === 0 || values.length > 0 || hasDefaults(item)) return;
  throw new UsageError(
    `${file}:${line}: ${name} is a template: say with which arguments, e.g. kernel: ${name}<${template.map(() => '…').join(', ')}>`,
  );
}

function hasDefaults({ tokens, parenthesis = 0 }: Item): boolean {
  return tokens.slice(0, parenthesis).some(({ text }) => text === '=');
}
