import { buildDocument } from './build-document.ts';
import type { DescribedOperation } from './described-operation.ts';

/** Formats the document as it is committed. */
export function formatDocument(operations: readonly DescribedOperation[]): string {
  return `${JSON.stringify(buildDocument(operations), null, 2)}\n`;
}
