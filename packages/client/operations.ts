import type { RouteLine } from '#protocol/routes.ts';
import { REPEATABLE } from './shapes.ts';
import { type ApiRequest, type Query, type RequestOptions, requestTo, type Transport, withQuery } from './transport.ts';

/** The route of each operation. */
export type Named<Operations> = Record<keyof Operations, RouteLine>;

type Input<Operation> = Omit<Operation, 'answer' | 'event'>;
type Arguments<Operation> =
  Partial<Input<Operation>> extends Input<Operation>
    ? [input?: Input<Operation>, options?: RequestOptions]
    : [input: Input<Operation>, options?: RequestOptions];

/** The operations with one answer: all except streams of events. */
type Answered<Operations> = {
  [Name in keyof Operations]: Operations[Name] extends { answer: unknown } ? Name : never;
}[keyof Operations];

/** Calls an operation by its name in the service's reference: `call('getJob', { params: { id } })`. */
export type CallOperation<Operations> = <Name extends Answered<Operations>>(
  name: Name,
  ...args: Arguments<Operations[Name]>
) => Promise<Operations[Name] extends { answer: infer Answer } ? Answer : never>;

/** The input of any operation. */
interface AnyInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly body?: unknown;
}

/** Returns the request of an operation by its name. */
function operationRequest(routes: Readonly<Record<string, RouteLine>>, name: string, input: AnyInput): ApiRequest {
  const line = routes[name];
  if (line === undefined) throw new TypeError(`There is no operation ${name}.`);
  const { isRepeatable, ...request } = requestTo(line as 'GET /:id', { id: '', ...input.params });
  return withQuery(
    { ...request, body: input.body, isRepeatable: isRepeatable || mayRepeat(name, input.body) },
    input.query,
  );
}

/** Whether a POST may be repeated. */
function mayRepeat(name: string, body: unknown): boolean {
  const terms = REPEATABLE[name];
  return terms === 'always' || (terms === 'by key' && typeof Object(body).idempotency_key === 'string');
}

export function createCall<Operations>(transport: Transport, routes: Named<Operations>): CallOperation<Operations> {
  const call = (name: string, input: AnyInput = {}, options?: RequestOptions) =>
    transport.send(operationRequest(routes, name, input), readAnswer, options);
  return call as CallOperation<Operations>;
}

async function readAnswer(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const type = response.headers.get('Content-Type');
  // A page comes from a proxy, or from a site that is not the service.
  return type?.includes('json') || type?.includes('html') ? response.json() : response.text();
}
