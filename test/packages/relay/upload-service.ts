import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { serve } from '../render-host/download/serve.ts';

/** The parts of the real service have 8 MiB. */
export const PART = 1000;

export interface Announced {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly tag?: string;
  readonly facts?: object;
}

interface Stored extends Announced {
  readonly parts: Map<number, Buffer>;
  content: Buffer | null;
}

/** Answers a request itself, and returns true; or returns false, and the service answers it. */
export type Instead = (line: string, response: ServerResponse, body: Buffer) => boolean | Promise<boolean>;

/** Answers with an RFC 9457 problem. */
export function refuse(response: ServerResponse, status: number, headers: Record<string, string> = {}): true {
  const kind = status === 409 ? 'upload_incomplete' : `p${status}`;
  const body = {
    type: `https://x.test/docs/problems#${kind}`,
    title: 'A title',
    detail: `It is ${status}.`,
    status,
  };
  response.writeHead(status, { 'Content-Type': 'application/problem+json', ...headers }).end(JSON.stringify(body));
  return true;
}

/** Serves the three operations that a key of scope `ingest` may call, over HTTP. `lines` has each request. */
export async function serveUploads(instead: Instead = () => false) {
  const stored = new Map<string, Stored>();
  const lines: string[] = [];
  const view = (id: string, { bytes, parts, content }: Stored) => ({
    id,
    state: content ? 'complete' : 'open',
    parts: Array.from({ length: content ? 0 : Math.ceil(bytes / PART) }, (_, i) => i + 1)
      .filter((part) => !parts.has(part))
      .map((part) => ({
        part,
        offset: (part - 1) * PART,
        bytes: Math.min(PART, bytes - (part - 1) * PART),
      })),
  });
  const answer = (response: ServerResponse, id: string, upload: Stored) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(view(id, upload)));
  const url = await serve(async (request: IncomingMessage, response) => {
    const body = await buffer(request);
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const line = `${request.method} ${pathname.replace(/\/[0-9a-f]{64}/, '')}`;
    lines.push(line);
    if (await instead(line, response, body)) return;
    if (request.headers.authorization !== 'Bearer tr_key') return void refuse(response, 401);
    if (line === 'POST /api/uploads') {
      const announced: Announced = JSON.parse(body.toString());
      const upload = stored.get(announced.sha256) ?? { ...announced, parts: new Map(), content: null };
      stored.set(announced.sha256, upload);
      return void answer(response, announced.sha256, upload);
    }
    const id = pathname.split('/')[3] ?? '';
    const upload = stored.get(id);
    if (!upload) return void refuse(response, 404);
    if (line === 'PUT /api/uploads/part') {
      upload.parts.set(Number(searchParams.get('part')), body);
      return void response.writeHead(204).end();
    }
    const content = Buffer.concat([...upload.parts].sort(([a], [b]) => a - b).map(([, part]) => part));
    if (createHash('sha256').update(content).digest('hex') !== id) {
      stored.delete(id);
      return void refuse(response, 409);
    }
    upload.content = content;
    answer(response, id, upload);
  });
  /** Returns the complete demos, in the order in which they were announced. */
  const complete = () => [...stored.values()].filter(({ content }) => content !== null);
  return { url, lines, complete };
}
