#!/usr/bin/env node
import { createProgram } from './cli/program.ts';
import { runProgram } from './cli/run-program.ts';

await runProgram(createProgram(), process.argv);
