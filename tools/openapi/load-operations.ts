import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Described, type DescribedOperation, describeOperations } from './described-operation.ts';

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
