import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createBrotliDecompress, createInflate, createInflateRaw } from 'node:zlib';
import { appendTo, type UnpackTask } from './unpack-stream.ts';

/** Content codings of HTTP without magic bytes. */
export type ContentCoding = 'br' | 'deflate';

export function isContentCoding(coding: string): coding is ContentCoding {
  return coding === 'br' || coding === 'deflate';
}

export async function undoBrotli(task: UnpackTask): Promise<readonly string[]> {
  await appendTo(task, 0, [createReadStream(task.inPath), createBrotliDecompress()]);
  return [];
}

/** Undoes `deflate`, which is in the format of zlib (RFC 9110, 8.4.1.2). Some servers leave its two bytes out. */
export async function undoDeflate(task: UnpackTask): Promise<readonly string[]> {
  const file = await open(task.inPath, 'r');
  const { buffer: start } = await file.read(Buffer.alloc(2), 0, 2, 0).finally(() => file.close());
  const isZlib = ((start[0] ?? 0) & 0x0f) === 8 && start.readUInt16BE(0) % 31 === 0;
  await appendTo(task, 0, [createReadStream(task.inPath), isZlib ? createInflate() : createInflateRaw()]);
  return [];
}
