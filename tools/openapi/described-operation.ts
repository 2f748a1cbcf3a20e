import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as z from 'zod';
import type { OperationWords, Tag, Words } from '#protocol/lib/operation-words.ts';
import { type Method, methodOf, pathOf, type RouteLine } from '#protocol/lib/routes.ts';

/** The part of an operation that the document needs. */
interface DeclaredOperation {
  readonly route: RouteLine;
  readonly scope: string;
  readonly repeatable?: 'always' | 'by key';
  readonly diskShare?: number;
  readonly isDescribed?: false;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly answers?: Readonly<Record<number, z.ZodType | null>>;
}

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

/** The tags of clients' operations by the first part of their paths below `/api`. */
const TAGS_OF_PATHS: Readonly<Record<string, Tag>> = {
  assets: 'Assets',
  clips: 'Clips',
  demos: 'Demos',
  events: 'Events',
  ingest: 'Demos',
  jobs: 'Jobs',
  keys: 'API keys',
  plan: 'Clips',
  rules: 'Rules',
  uploads: 'Demos',
  usage: 'Usage',
  viewing: 'Viewing',
  'webhook-secrets': 'Events',
  webhooks: 'Events',
};

/** A module with operations by their ids, and their words. */
export type Described = Readonly<Record<string, DeclaredOperation>> & { readonly words?: () => Words };

/**
 * Joins each operation with its words in its module. Throws if an operation has no words, or an answer of it none. An
 * operation that is not described is left out.
 */
function describeOperations(listed: readonly (readonly [id: string, module: Described])[]): DescribedOperation[] {
  return listed.flatMap(([id, module]): DescribedOperation[] => {
    const operation = module[id];
    if (operation?.isDescribed === false) return [];
    const words = module.words?.()[id];
    if (!operation || !words) throw new Error(`${id} has no words`);
    const { route, scope, answers = {} } = operation;
    const missing = Object.keys(answers).filter((status) => !(status in words.answers));
    if (missing.length > 0) throw new Error(`${id} has no words for ${missing.join(', ')}`);
    const [key, usualTag] = CALLERS[scope.replace(/:.*/, '')] ?? [null];
    const path = pathOf(route);
    const tag = words.tag ?? usualTag ?? TAGS_OF_PATHS[path.split('/')[2] ?? ''];
    if (!tag) throw new Error(`${id} has no tag`);
    return [{ id, tag, method: methodOf(route), path, key, operation, words }];
  });
}

const LIST = new URL('../../src/operations.ts', import.meta.url);

/**
 * Loads every operation and its words. Not by static imports: their types need the Worker's types, which a program in
 * Node does not have.
 */
export function loadOperations(): DescribedOperation[] {
  const load = createRequire(LIST);
  const list = [...readFileSync(LIST, 'utf8').matchAll(/^export \{ (.+) \} from '(.+)';/gm)];
  return describeOperations(
    list.flatMap(([, ids = '', from = '']) => ids.split(', ').map((id): [string, Described] => [id, load(from)])),
  );
}
