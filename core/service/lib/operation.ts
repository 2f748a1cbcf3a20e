import type * as z from 'zod';
import type { Scope } from '#domain/account/account.ts';
import type { Operator, Role } from '#domain/operate/operator.ts';
import type { AnswerBody, Answers } from '#http/reply.ts';
import type { Endpoint, Handler } from '#http/router.ts';
import type { ParamName, RouteLine } from '#protocol/lib/routes.ts';
import type { Caller } from '#storage/account/accounts.ts';
import type { HostCaller } from '#storage/host/hosts.ts';
import type { Service } from './service.ts';

export { answer, located, only, type Words } from '#protocol/lib/operation-words.ts';

/** The kinds of callers, each with the `caller` of its handlers. */
export interface Callers {
  /** The caller has the key of an account. */
  readonly account: Caller;
  readonly host: HostCaller;
  /** The caller has the token of a registration; the value is its id. */
  readonly registration: string;
  readonly operator: Operator;
  /** Opens, reads or ends a session of the console. */
  readonly session: Operator;
  /** Reads the metrics. */
  readonly monitor: null;
  readonly public: null;
}
export type CallerKind = keyof Callers;

/** Who may call an operation: `account:submit` has a key that may submit. */
export type OperationScope = Exclude<CallerKind, 'account' | 'operator'> | `account:${Scope}` | `operator:${Role}`;

type CallerOf<S extends OperationScope> = S extends CallerKind
  ? Callers[S]
  : S extends `${infer Kind extends CallerKind}:${string}`
    ? Callers[Kind]
    : never;

interface Terms<Line extends RouteLine, S extends OperationScope> {
  readonly route: Line;
  readonly scope: S;
  /**
   * Whether clients may repeat the request after an error. All methods but POST are repeatable. `by key`: a request
   * with an `idempotency_key` is.
   */
  readonly repeatable?: 'always' | 'by key';
  /**
   * The share of the disk's reserve that must be free. Only a stack has a disk. A POST of an account that has it
   * is refused during maintenance.
   */
  readonly diskShare?: number;
  /** False for an address with a protocol of its own: the API documents and the clients leave it out. */
  readonly isDescribed?: false;
}

/** One operation of the service. `src/operations.ts` lists them all under their ids. `Value`: what it returns as JSON. */
export interface Operation<Line extends RouteLine = RouteLine, Caller = never, Value = unknown>
  extends Terms<Line, OperationScope>,
    Endpoint<Service, Caller, Value> {
  readonly route: Line;
  readonly answers?: Answers;
}

/**
 * Declares an operation: its address, who may call it, its query, its JSON body, its JSON answers and its handler.
 * Handlers read query and body by `context.query()` and `context.body()`, and answer by `context.reply()`.
 */
export function operation<
  const Line extends RouteLine,
  const S extends OperationScope,
  Query extends z.ZodType = z.ZodNever,
  Body extends z.ZodType = z.ZodNever,
  const A extends Answers = Record<never, never>,
>(
  terms: Terms<Line, S> & {
    readonly query?: Query;
    readonly body?: Body;
    /** Bytes; 256 KiB by default. */
    readonly bodyLimit?: number;
    /** The shapes of its JSON answers by status; null for one without a body. */
    readonly answers?: A;
    readonly handler: Handler<Service, ParamName<Line>, CallerOf<S>, z.output<Query>, z.output<Body>, A>;
  },
): Operation<Line, CallerOf<S>, AnswerBody<A>> {
  return terms as Operation<Line, CallerOf<S>, AnswerBody<A>>;
}

/** Splits a scope: `account:submit` into `account` and `submit`. */
export function splitScope(scope: OperationScope): [kind: CallerKind, needed: string] {
  const [kind, needed = ''] = scope.split(':');
  return [kind as CallerKind, needed];
}
