import type * as z from 'zod';

/** The shapes of an operation's JSON answers by status; null for an answer without a body. */
export type Answers = Readonly<Record<number, z.ZodType | null>>;

type BodyOf<Shape> = Shape extends z.ZodType ? z.output<Shape> : null;

/** The bodies that an operation with these answers returns. */
export type AnswerBody<A extends Answers> = BodyOf<A[keyof A]>;

/** What a handler returns for the router to write as JSON. A null body is none. */
export interface Reply<Body> {
  readonly status: number;
  readonly body: Body;
  readonly headers: Readonly<Record<string, string>>;
}

/** Creates a reply. The status selects the shape of the body. */
export type ReplyWith<A extends Answers> = <S extends keyof A & number>(
  status: S,
  body: BodyOf<A[S]>,
  headers?: Readonly<Record<string, string>>,
) => Reply<BodyOf<A[S]>>;

export function reply<Body>(status: number, body: Body, headers: Readonly<Record<string, string>> = {}): Reply<Body> {
  return { status, body, headers };
}

/** Writes a reply as JSON, which caches do not keep unless its headers say so. A response stays as it is. */
export function toResponse(answered: Reply<unknown> | Response): Response {
  if (answered instanceof Response) return answered;
  const { status, body, headers } = answered;
  const type = body === null ? {} : { 'Content-Type': 'application/json' };
  return new Response(body === null ? null : JSON.stringify(body), {
    status,
    headers: { ...type, 'Cache-Control': 'no-store', ...headers },
  });
}
