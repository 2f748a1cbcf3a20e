import type * as z from 'zod';
import type { OperationWords } from '#protocol/operation-words.ts';
import { type Method, methodOf, pathOf, type RouteLine } from '#protocol/routes.ts';

/** What the document needs of an operation of the service. */
interface DeclaredOperation {
  readonly route: RouteLine;
  readonly scope: string;
  readonly repeatable?: 'always' | 'by key';
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
}

/** An operation with its description. */
export interface DescribedOperation {
  readonly id: string;
  readonly method: Method;
  /** In the router's pattern language: `/api/jobs/:id`. */
  readonly path: string;
  /** Name of the security scheme; null for an operation without a key. */
  readonly key: string | null;
  readonly operation: DeclaredOperation;
  readonly words: OperationWords;
}

const KEYS: Readonly<Record<string, string | null>> = {
  public: null,
  account: 'apiKey',
  host: 'hostToken',
  registration: 'registrationToken',
  operator: 'operatorToken',
  session: 'consoleSession',
  monitor: 'metricsToken',
};

/**
 * Joins each operation with the words of its module, in the order of the modules. Throws if a module with words exports
 * no listed operation, and if an operation has no words.
 */
export function describeOperations(
  operations: Readonly<Record<string, DeclaredOperation>>,
  modules: readonly Readonly<Record<string, unknown>>[],
): DescribedOperation[] {
  const described = modules.flatMap((module): DescribedOperation[] => {
    if (typeof module.words !== 'function') return [];
    const words: OperationWords = module.words();
    const [id, operation] = Object.entries(operations).find(([name, one]) => module[name] === one) ?? [];
    if (id === undefined || !operation) throw new Error(`src/operations.ts lacks "${words.summary}"`);
    const { route, scope } = operation;
    const key = KEYS[scope.replace(/:.*/, '')] ?? null;
    return [{ id, method: methodOf(route), path: pathOf(route), key, operation, words }];
  });
  const missing = Object.keys(operations).filter((id) => !described.some((one) => one.id === id));
  if (missing.length > 0) throw new Error(`without words: ${missing.join(', ')}`);
  return described;
}
