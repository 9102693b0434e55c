import { type Cell, combinations } from '../../../src/model/family.ts';
import { choiceKinds } from '../../../src/model/operation.ts';

const layouts = choiceKinds.layout;

/** Classes of depth, the columns of X and Y. */
const depths = { '1': 1, '2-16': 5, '17-64': 33, ragged: 263, 'multiple of 8': 264 } as const;

/** Every type, layout, block and class of depths. */
export const cells: readonly Cell[] = combinations({
  types: [
    { input: 'f16', output: 'f16' },
    { input: 'f16', output: 'bf16' },
    { input: 'f16', output: 'f32' },
    { input: 'bf16', output: 'bf16' },
    { input: 'bf16', output: 'f16' },
    { input: 'bf16', output: 'f32' },
  ],
  layoutX: layouts,
  layoutY: layouts,
  block: [16, 32, 64, 128],
  depth: Object.entries(depths),
}).map(({ types: { input, output }, layoutX, layoutY, block, depth: [column, k] }) => {
  const result = output === input ? '' : ` to ${output}`;
  return {
    row: `${input}${result}, X ${layoutX}, Y ${layoutY}, blocks of ${block}`,
    column,
    problem: {
      ...{ m: 2 * block, n: 3 * block, k, block, input, output, layoutX, layoutY },
      ...{ values: 'integers', seed: 1, pattern: { kind: 'block-diagonal', size: 1 } },
    },
  };
});
