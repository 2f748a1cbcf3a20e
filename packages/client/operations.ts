import type { RouteLine } from '#protocol/lib/routes.ts';
import { type AccountMethods, type AccountOperations, METHODS, REPEATABLE } from './shapes.ts';
import { type ApiRequest, type Query, type RequestOptions, requestTo, type Transport, withQuery } from './transport.ts';

/** A list that loads its pages as they are read: `for await (const job of tickreel.jobs.list())`. */
export interface Listing<Page, Item> extends AsyncIterable<Item> {
  /** Returns one page as the service answers it: the items and `next_cursor`. */
  page(): Promise<Page>;
}

type PageOf<Name extends string> = { readonly next_cursor: string | null } & Readonly<Record<Name, readonly unknown[]>>;

/** Creates a list whose pages have their items under `name`. `read` gets the cursor of each page but the first. */
export function createListing<Name extends string, Page extends PageOf<Name>>(
  read: (from: { readonly cursor?: string }) => Promise<Page>,
  name: Name,
): Listing<Page, Page[Name][number]> {
  return {
    page: () => read({}),
    async *[Symbol.asyncIterator]() {
      let cursor: string | null = null;
      do {
        const page: Page = await read(cursor === null ? {} : { cursor });
        yield* page[name];
        cursor = page.next_cursor;
      } while (cursor !== null);
    },
  };
}

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

/** Fields beyond the contract's, by their names in the reference. */
export interface Including {
  readonly include?: readonly string[] | undefined;
}

export function including({ include = [] }: Including = {}): { include?: string } {
  return include.length === 0 ? {} : { include: include.join(',') };
}

/** The arguments of a method before its options: the id, then the body, or else the query. */
type Taken<Operation> = [
  ...(Operation extends { params: unknown } ? [id: string] : []),
  ...(Operation extends { body: infer Body }
    ? [body: Body]
    : Operation extends { params: unknown }
      ? []
      : 'query' extends keyof Operation
        ? [query?: Operation['query']]
        : []),
];
type OptionsOf<Operation> = ['params' | 'query'] extends [keyof Operation]
  ? RequestOptions & Including
  : RequestOptions;
type ItemOf<Page> = { [Name in keyof Page]: Page[Name] extends readonly (infer Item)[] ? Item : never }[keyof Page];
type Result<Operation> = Operation extends { answer: infer Answer }
  ? Answer extends { next_cursor: unknown }
    ? Listing<Answer, ItemOf<Answer>>
    : Promise<Answer extends undefined ? void : Answer>
  : never;

/** The methods of a group of operations, by their names. */
export type Methods<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends keyof AccountOperations
    ? (
        ...args: [
          ...Taken<AccountOperations[Group[Name]]>,
          options?: OptionsOf<AccountOperations[Group[Name]]> | undefined,
        ]
      ) => Result<AccountOperations[Group[Name]]>
    : Methods<Group[Name]>;
};

interface Method {
  /** The names of its groups and its own, as in `webhooks secrets list`. */
  readonly path: string;
  readonly takes: readonly string[];
  /** The field with the items of a list that has pages. */
  readonly items?: string;
}
type AnyCall = (name: string, input: AnyInput, options?: RequestOptions) => Promise<never>;
interface Group {
  [name: string]: Group | ReturnType<typeof methodOf>;
}

/** Creates the methods that call one operation each. */
export function createMethods(call: CallOperation<AccountOperations>): Methods<AccountMethods> {
  const methods = {};
  for (const [operation, method] of Object.entries<Method>(METHODS)) {
    const [name = '', ...groups] = method.path.split(' ').reverse();
    const group = groups.reduceRight<Group>((above, word) => {
      above[word] ??= {};
      return above[word] as Group;
    }, methods);
    group[name] = methodOf(call as AnyCall, operation, method);
  }
  return methods as Methods<AccountMethods>;
}

function methodOf(call: AnyCall, operation: string, { takes, items }: Method) {
  return (...given: readonly unknown[]) => {
    const taken = Object.fromEntries(takes.map((place, i) => [place, given[i]]));
    const options: (RequestOptions & Including) | undefined = given[takes.length] ?? undefined;
    const read = (from: Query) => {
      const query = { ...including(options), ...Object(taken.query), ...from };
      return call(operation, { params: { id: String(taken.id) }, query, body: taken.body }, options);
    };
    return items === undefined ? read({}) : createListing(read, items);
  };
}
