import { checkVariables, SECRETS, unknownVariables, type VariableFault } from '#protocol/variables.ts';

interface Configured {
  readonly vars: Readonly<Record<string, unknown>>;
  readonly analytics_engine_datasets?: unknown;
}

/**
 * Returns what is wrong with the variables and secrets of a deployment. `secrets`: the names of those that it has, null
 * if they are not known. `given`: those that are being set.
 */
export function settingFaults(
  { vars, analytics_engine_datasets: datasets = [] }: Configured,
  secrets: readonly string[] | null,
  given: Readonly<Record<string, string>> = {},
): VariableFault[] {
  const isCounted = Array.isArray(datasets) && datasets.some(({ binding }) => binding === 'VIEWS');
  const all = { ...vars, ...given, ...(isCounted ? { VIEWS: true } : {}) };
  return checkVariables(all, secrets).map((fault) => {
    const isSecret = SECRETS.some((name) => name === fault.variable);
    const how = fault.isMissing && isSecret ? `: npm run deploy -- --secret ${fault.variable}` : '';
    return { ...fault, problem: fault.problem + how };
  });
}

/**
 * Reads the values of secrets, a line each, in the order of their names. Rejects with an Error for an unknown name or a
 * missing line.
 */
export async function readSecrets(
  names: readonly string[],
  lines: AsyncIterable<string>,
): Promise<Record<string, string>> {
  const [unknown] = unknownVariables(names);
  if (unknown) throw new Error(`--secret ${unknown.variable} ${unknown.problem}`);
  const values: Record<string, string> = {};
  const next = lines[Symbol.asyncIterator]();
  try {
    for (const name of names) {
      const { value = '' }: { value?: string } = await next.next();
      values[name] = value.trim();
      if (values[name] === '') throw new Error(`--secret ${name}: standard input has no line with its value`);
    }
    return values;
  } finally {
    // Otherwise a terminal keeps the process alive.
    await next.return?.();
  }
}
