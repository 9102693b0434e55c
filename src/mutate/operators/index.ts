import type { Operator } from '../operator.ts';
import { arithmetic } from './arithmetic.ts';
import { control } from './control.ts';
import { synchronisation } from './synchronisation.ts';
import { values } from './values.ts';

/** Every operator on text. Where two make the same mutant it is the first one's. */
export const operators: readonly Operator[] = [...synchronisation, ...values, ...arithmetic, ...control];
