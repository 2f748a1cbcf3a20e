#!/usr/bin/env node
import { createProgram } from './cli/program.ts';
import { runProgram } from './cli/settings.ts';

await runProgram(createProgram(), process.argv);
