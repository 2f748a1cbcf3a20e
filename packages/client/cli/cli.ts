#!/usr/bin/env node
import { createProgram } from './program.ts';
import { runProgram } from './settings.ts';

await runProgram(createProgram(), process.argv);
