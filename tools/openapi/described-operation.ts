import type * as z from 'zod';
import type { OperationWords, Tag } from '#protocol/operation-words.ts';
import { type Method, methodOf, pathOf, type RouteLine } from '#protocol/routes.ts';

/** The part of an operation that the document needs. */
interface DeclaredOperation {
  readonly route: RouteLine;
  readonly scope: string;
  readonly repeatable?: 'always' | 'by key';
  readonly diskShare?: number;
  readonly isDescribed?: false;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
}

/** An operation with its description. */
export interface DescribedOperation {
  readonly id: string;
  readonly tag: Tag;
  readonly method: Method;
  /** In the router's pattern language: `/api/jobs/:id`. */
  readonly path: string;
  /** Name of the security scheme; null for an operation without a key. */
  readonly key: string | null;
  readonly operation: DeclaredOperation;
  readonly words: OperationWords;
}

/** The security scheme and the usual tag of each kind of caller. */
const CALLERS: Readonly<Record<string, readonly [key: string | null, tag?: Tag]>> = {
  public: [null],
  account: ['apiKey'],
  host: ['hostToken', 'Gateway'],
  registration: ['registrationToken', 'Gateway'],
  operator: ['operatorToken', 'Administration'],
  session: ['consoleSession', 'Administration'],
  monitor: ['metricsToken', 'Administration'],
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
    const [key, usualTag] = CALLERS[scope.replace(/:.*/, '')] ?? [null];
    const tag = words.tag ?? usualTag;
    if (!tag) throw new Error(`${id} has no tag`);
    return [{ id, tag, method: methodOf(route), path: pathOf(route), key, operation, words }];
  });
  const missing = Object.entries(operations)
    .filter(([id, { isDescribed }]) => isDescribed !== false && !described.some((one) => one.id === id))
    .map(([id]) => id);
  if (missing.length > 0) throw new Error(`without words: ${missing.join(', ')}`);
  return described;
}
