import { checkVariables, SECRETS, type VariableFault } from '#protocol/variables.ts';

/** Returns the faults of `checkVariables`. Adds the command that sets it to each missing secret. */
export function settingFaults(...[vars, secrets]: Parameters<typeof checkVariables>): VariableFault[] {
  return checkVariables(vars, secrets).map((fault) => {
    const isSecret = SECRETS.some((name) => name === fault.variable);
    const how = fault.isMissing && isSecret ? `: npm run deploy -- --secret ${fault.variable}` : '';
    return { ...fault, problem: fault.problem + how };
  });
}
