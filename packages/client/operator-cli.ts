import { adminCommand } from './cli/admin-commands.ts';
import { createProgram } from './cli/program.ts';
import { runProgram } from './cli/settings.ts';

/** The command line of a checkout: it has what the operator of a service does, too. */
await runProgram(createProgram().addCommand(adminCommand()), process.argv);
