import { UsageError } from '../errors.ts';
import { choiceKinds, type Operation } from '../model/operation.ts';
import { plainName } from './arguments.ts';
import type { ReferenceJson } from './cases.ts';
import type { OracleDescription } from './oracle-description.ts';
import type { Plan } from './plan.ts';

/** The description that `oracle:<family>` stands for; undefined: no oracle. */
export function oracleNamed(given: string): OracleDescription | undefined {
  const name = /^oracle:(.*)$/.exec(given)?.[1];
  return name === undefined ? undefined : { oracle: name };
}

/** Whether a reference is an oracle, no files by output. */
export function isOracle(given: object | undefined): given is OracleDescription {
  const { oracle } = (given ?? {}) as { oracle?: unknown };
  return typeof oracle === 'string' && !oracle.endsWith('.npy');
}

/** The oracle of an operation, with the number of the kernel's argument for each operand. Throws a UsageError where one is missing. */
export function askOracle(given: OracleDescription, operation: Operation, plan: Plan): ReferenceJson {
  const { oracle } = given;
  mustBeNames(given.operands, operation.operands, `operand of ${oracle}`);
  mustBeNames(given.scalars, operation.scalars, `scalar of ${oracle}`);
  const operands = Object.entries(operation.operands).flatMap(([name, { only }]) => {
    const wanted = given.operands?.[name];
    const at = indexOf(wanted ?? name, plan, wanted === undefined);
    if (at >= 0) return [[name, at] as const];
    if (only === undefined || wanted !== undefined) throw missing(oracle, name, wanted, plan);
    return [];
  });
  const scalars = Object.entries(operation.scalars).map(
    ([name, { usual = 0 }]) => [name, scalarJson(name, given.scalars?.[name], usual, plan)] as const,
  );
  const output = Object.entries(operation.operands).find(([, { role }]) => role !== 'input')?.[0];
  const activation = choiceKinds.activation.indexOf(given.activation ?? 'none');
  if (activation > 0 && !Object.values(operation.choices).some(({ kind }) => kind === 'activation'))
    throw new UsageError(`the oracle ${oracle} has no activation: ${operation.formula}`);
  return {
    ...{ kind: 'oracle', name: oracle, operands: Object.fromEntries(operands), output },
    ...{ scalars: Object.fromEntries(scalars), activation },
  };
}

/** Throws a UsageError for a name that is none of the operation's. */
function mustBeNames(given: object | undefined, known: object, what: string): void {
  const stranger = Object.keys(given ?? {}).find((name) => !(name in known));
  if (stranger !== undefined)
    throw new UsageError(`'${stranger}' is no ${what}; there are: ${Object.keys(known).join(', ')}`);
}

/** Number of a tensor among the arguments, in either case where nobody says its name; -1: none. */
function indexOf(name: string, plan: Plan, anyCase: boolean): number {
  return plan.arguments.findIndex((one) => {
    if (one.kind !== 'tensor' || one.field) return false;
    return one.name === name || (anyCase && plainName(one).toLowerCase() === name);
  });
}

function missing(oracle: string, operand: string, wanted: string | undefined, plan: Plan): UsageError {
  const tensors = plan.arguments.filter(({ kind }) => kind === 'tensor').map(({ name }) => name);
  const has = `${plan.kernel} has: ${tensors.join(', ') || 'none'}`;
  return new UsageError(
    wanted === undefined
      ? `the oracle ${oracle} does not know which tensor is its operand '${operand}': say it, e.g. reference: { oracle: ${oracle}, operands: { ${operand}: ${tensors[0] ?? 'in'} } }; ${has}`
      : `the operand '${operand}' of the oracle ${oracle} is '${wanted}', which is no tensor; ${has}`,
  );
}

/** A scalar as a number, or as the number of the kernel's argument. */
function scalarJson(name: string, given: number | string | undefined, usual: number, plan: Plan): object {
  if (typeof given === 'number') return { value: given };
  const at = plan.arguments.findIndex((one) => one.kind === 'scalar' && one.name === (given ?? name));
  if (at >= 0) return { argument: at };
  if (given === undefined) return { value: usual };
  throw new UsageError(
    `${name} of the oracle is '${given}', which is no number and no scalar of ${plan.kernel}`,
  );
}
