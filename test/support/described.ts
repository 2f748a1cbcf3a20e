import { expect } from 'vitest';
import { readEvents } from '#client/events.ts';
import { type DescribedOperation, describeOperations } from '#openapi/described-operation.ts';
import { problemsOf } from '#openapi/problems.ts';
import { PROBLEMS, Problem } from '#protocol/problem.ts';
import * as LISTED from '#src/operations.ts';
import { send } from './service.ts';

declare global {
  interface ImportMeta {
    /** Declared by Vite. */
    glob(patterns: readonly string[], options: { eager: true }): Record<string, Record<string, unknown>>;
  }
}

export const OPERATIONS = describeOperations(
  LISTED,
  Object.values(
    import.meta.glob(
      [
        '../../src/{admin,console,docs,media,operations,pages}/*.ts',
        '../../src/health.ts',
        '../../render-gateway/*.ts',
      ],
      { eager: true },
    ),
  ),
);

export interface Call {
  readonly token?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** The body, sent as JSON. */
  readonly json?: unknown;
  readonly bytes?: Uint8Array;
  readonly contentType?: string;
  readonly accept?: string;
  readonly lastEventId?: string;
  readonly origin?: string;
}

/**
 * Calls operations by their ids and checks each answer against the document: status, content type, and each field of
 * the body. `called` collects the operations that succeeded.
 */
export function createDescribedService() {
  const called = new Set<string>();
  return {
    called,
    async call(id: string, call: Call = {}): Promise<Response> {
      const operation = OPERATIONS.find((one) => one.id === id);
      if (!operation) throw new Error(`there is no operation ${id}`);
      const response = await send(addressOf(operation, call), requestOf(operation, call));
      await expectAsDescribed(operation, response.clone() as Response);
      if (response.ok) called.add(id);
      return response;
    },
  };
}

function addressOf({ path }: DescribedOperation, { params = {}, query = {} }: Call): string {
  const filled = path.replace(/:(\w+)/g, (_, name) => params[name] ?? '');
  return `${filled}?${new URLSearchParams(query)}`;
}

function requestOf(
  { method }: DescribedOperation,
  { token, json, bytes, contentType, accept, lastEventId, origin }: Call,
): RequestInit {
  const headers = new Headers();
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
  if (json !== undefined) headers.set('Content-Type', 'application/json');
  if (bytes !== undefined) headers.set('Content-Length', String(bytes.length));
  if (contentType !== undefined) headers.set('Content-Type', contentType);
  if (accept !== undefined) headers.set('Accept', accept);
  if (lastEventId !== undefined) headers.set('Last-Event-ID', lastEventId);
  if (origin !== undefined) headers.set('Origin', origin);
  const body = json === undefined ? (bytes ?? null) : JSON.stringify(json);
  return { method, headers, body };
}

async function expectAsDescribed(operation: DescribedOperation, response: Response): Promise<void> {
  const { id, words } = operation;
  const where = `${id} answered ${response.status}`;
  expect(response.headers.get('X-Request-Id'), where).toMatch(/^[0-9a-f-]{36}$/);
  const type = response.headers.get('Content-Type');
  const answer = words.answers[response.status];
  if (!answer) {
    expect(type, where).toBe('application/problem+json');
    const body = await response.json();
    const problem = Problem.parse(body);
    expect(body, where).toEqual(problem);
    const kinds: string[] = problemsOf(operation).filter((kind) => PROBLEMS[kind].status === response.status);
    expect(kinds, where).toContain(problem.type.split('#')[1]);
    return;
  }
  for (const [name, { isOptional }] of Object.entries(answer.headers ?? {}))
    if (!isOptional) expect(response.headers.has(name), `${where}: ${name}`).toBe(true);
  const { content } = answer;
  if (!content) {
    expect(await response.text(), where).toBe('');
  } else if ('otherType' in content && content.otherType === type?.split(';')[0]) {
    await response.body?.cancel();
  } else if ('schema' in content) {
    const body = await response.json();
    // Parsing drops a field that the schema does not have; the comparison finds it.
    expect(content.schema.parse(body), where).toEqual(body);
  } else if ('types' in content) {
    expect(content.types, where).toContain(type?.split(';')[0]);
    await response.body?.cancel();
  } else {
    expect(type, where).toBe('text/event-stream');
    const events = response.body ? readEvents(response.body, 60_000) : null;
    const data = JSON.parse((await events?.next())?.value?.data ?? '');
    expect(content.eventSchema.parse(data), where).toEqual(data);
    // An open poll would continue forever.
    void events?.return(undefined);
  }
}
