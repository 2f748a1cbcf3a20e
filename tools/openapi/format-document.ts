import { buildDocument } from './build-document.ts';

/** The document as it lies in the repository. */
export function formatDocument(): string {
  return `${JSON.stringify(buildDocument(), null, 2)}\n`;
}
