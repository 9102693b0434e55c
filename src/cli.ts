#!/usr/bin/env node
// gen - the command line: `gen --help` lists the commands.
import { main } from './cli/main.ts';
import { programOf } from './cli/program.ts';

await main(programOf, process.argv.slice(2));
