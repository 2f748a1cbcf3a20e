import { allows } from '#domain/account/account.ts';
import { type Context, callEndpoint } from '#http/router.ts';
import { href, methodOf, type RouteLine } from '#protocol/lib/routes.ts';
import type { Operation } from '#service/lib/operation.ts';
import type { Service } from '#service/lib/service.ts';
import type { Caller } from '#storage/account/accounts.ts';
import { accountAdmission } from '../api/admission.ts';

/** One call of a tool. */
export interface Turn extends Pick<Context<never, Caller>, 'caller' | 'requestId'> {
  readonly service: Service;
  readonly call: CallOperation;
  /** Rejects with a problem if the key may not call the operation. */
  readonly admit: (operation: Operation) => Promise<unknown>;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Whether the key may make the account's demos and plans; else a tool only shows what is there. */
export function maySubmit({ caller: { scope, suspendedAt } }: Pick<Turn, 'caller'>): boolean {
  return allows(scope, 'submit') && suspendedAt === null;
}

/** Calls an operation and returns the body of its reply. Rejects with the problem that it throws. */
type CallOperation = <Value>(
  operation: Operation<RouteLine, Caller, Value>,
  sent: { readonly id?: string; readonly query?: Readonly<Record<string, unknown>>; readonly body?: object },
) => Promise<Value>;

/**
 * Creates the turn of a request. Each call of an operation is admitted like a request of its own: scope, suspension,
 * limits and maintenance apply.
 */
export function createTurn(service: Service, context: Context<never, Caller>): Turn {
  const { request: outer, requestId, caller } = context;
  const admission = accountAdmission(service);
  const admit = async (operation: Operation) => admission.admit(outer, operation);
  const call: CallOperation = async (operation, { id, query = {}, body }) => {
    const url = new URL(href(operation.route as 'GET /:id', { id: id ?? '' }), service.settings.baseUrl);
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    for (const [name, value] of given) url.searchParams.set(name, String(value));
    const headers = new Headers(outer.headers);
    headers.delete('Content-Length');
    const method = methodOf(operation.route);
    const request = new Request(url, { method, headers, body: body ? JSON.stringify(body) : null });
    const asked = { ...context, caller: null, request, url, params: id === undefined ? {} : { id } };
    const answered = await callEndpoint('mcp', operation, service, admission, asked);
    if (answered instanceof Response) throw new Error(`${operation.route} has no JSON`);
    return answered.body;
  };
  return { service, caller, requestId, signal: outer.signal, call, admit };
}
