#!/usr/bin/env node
// validate - the gate on its own: the same as `gen validate`.
import { main } from './cli/main.ts';
import { programOf } from './cli/program.ts';

await main(programOf, ['validate', ...process.argv.slice(2)]);
