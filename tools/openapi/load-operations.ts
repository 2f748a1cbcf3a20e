import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type DescribedOperation, describeOperations } from './described-operation.ts';

const LIST = new URL('../../src/operations.ts', import.meta.url);

/** Loads every operation and its words. Their types need the Worker's types, which a program in Node does not have. */
export async function loadOperations(): Promise<DescribedOperation[]> {
  const named = [...readFileSync(LIST, 'utf8').matchAll(/ from '(.+)';/g)].map(([, from = '']) => from);
  const modules = await Promise.all(
    [...named, LIST.href].map((from) => import(from.startsWith('.') ? fileURLToPath(new URL(from, LIST)) : from)),
  );
  const operations = modules.pop();
  return describeOperations(operations, modules);
}
