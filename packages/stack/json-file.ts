import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod';

/** Reads a file; null if there is none. Throws an Error that names the file if it is invalid. */
export function readJson<T>(path: string, shape: z.ZodType<T>): T | null {
  if (!existsSync(path)) return null;
  try {
    return shape.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new Error(`${path} cannot be read: ${error instanceof z.ZodError ? z.prettifyError(error) : error}`);
  }
}

/**
 * Writes a temporary file and renames it, so that a crash leaves the old file or the new one. Only the owner can read
 * it. Returns its path.
 */
export function writeJson(path: string, content: object): string {
  writeFileSync(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return path;
}
