import { adminCommand } from './admin-commands.ts';
import { createProgram } from './program.ts';
import { runProgram } from './settings.ts';

/** The command line of a checkout: it has what the operator of a service does, too. */
await runProgram(createProgram().addCommand(adminCommand()), process.argv);
