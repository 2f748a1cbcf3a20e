import type { ComponentChildren, JSX } from 'preact';
import { createTickreelOperator, type TickreelOperator } from '#client/operator.ts';
import type { Role } from '#domain/operate/operator.ts';
import { Form, Table, type TableProps } from '../parts/components.tsx';
import { ago, short } from '../parts/format.ts';

/** What a view may do besides showing itself. */
export interface ViewTools {
  /** Whether the operator's role allows what needs this role. */
  can(role: Role): boolean;
  /** Runs the action of a button: shows `done` or why the action failed, and reloads the view. */
  run(done: string, work: () => Promise<unknown>): Promise<void>;
  /** Runs the action of a form or an `AskButton`, which show themselves why it failed: rejects then. */
  send<Result>(done: string, work: () => Promise<Result>): Promise<Result>;
  /** Opens a dialog with a secret. */
  showSecret(title: string, secret: string): void;
  /** Goes to another hash, or reloads the view if it is the same. */
  navigate(hash: string): void;
}

/** The hash of the page: `#/jobs/ID?tier=metered` has the path `['jobs', ID]` and the query `{tier: 'metered'}`. */
export interface HashRoute {
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** Loads what the view shows, and draws it. Rejects if that cannot be loaded. */
export type ConsoleView = (tools: ViewTools, route: HashRoute) => Promise<ComponentChildren>;

export function readHash(): HashRoute {
  const [path = '', query] = location.hash.replace(/^#\/?/, '').split('?');
  return { path: path.split('/'), query: Object.fromEntries(new URLSearchParams(query)) };
}

export function hashOf({ path, query }: HashRoute): string {
  const search = new URLSearchParams(query).toString();
  return `#/${path.join('/')}${search && `?${search}`}`;
}

interface ListProps<Row> extends TableProps<Row> {
  readonly title?: string;
  /** What is above the table. */
  readonly intro?: ComponentChildren;
  readonly route: HashRoute;
  /** The cursor of the next page; null if there is none. */
  readonly cursor: string | null;
  /** What is below the table. */
  readonly children?: ComponentChildren;
}

/** Returns a page of a list, with a link to the next page. */
export function List<Row>({ title, intro, route, cursor, children, ...table }: ListProps<Row>): JSX.Element {
  const next = cursor && hashOf({ ...route, query: { ...route.query, cursor } });
  return (
    <>
      {title && <h1>{title}</h1>}
      {intro}
      <Table {...table} />
      {next && (
        <p>
          <a class="button" href={next}>
            More
          </a>
        </p>
      )}
      {children}
    </>
  );
}

interface NameLinkProps {
  readonly to: string;
  readonly id: string;
  /** The beginning of the id is shown if there is none. */
  readonly name?: string | null;
  readonly query?: HashRoute['query'];
}

/** A link to a job, an account or a host by its name. */
export const NameLink = ({ to, id, name, query = {} }: NameLinkProps): JSX.Element => (
  <a href={hashOf({ path: [to, id], query })} title={id}>
    {name ?? <span class="id">{short(id)}</span>}
  </a>
);

interface FilterProps {
  readonly route: HashRoute;
  readonly tools: ViewTools;
  /** Loads the list: a wrong value is shown at its field. */
  load(query: HashRoute['query']): Promise<unknown>;
  readonly children: ComponentChildren;
}

/** Returns the form that filters a list: each field is a value of the hash's query. */
export function Filter({ route: { path }, tools: { navigate }, load, children }: FilterProps): JSX.Element {
  const filter = async (query: HashRoute['query']) => {
    await load(query);
    navigate(hashOf({ path, query }));
  };
  return (
    <Form label="Filter" submit="Filter" onSend={filter}>
      {children}
    </Form>
  );
}

interface NoticeProps {
  readonly title: string;
  readonly tone: 'good' | 'accent' | 'bad';
  /** What can be done about it. */
  readonly action?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Returns what an operator has to see first. */
export const Notice = ({ title, tone, action, children }: NoticeProps): JSX.Element => (
  <div class={`callout ${tone}`}>
    <div>
      <b>{title}</b>
      <p>{children}</p>
    </div>
    {action}
  </div>
);

/** A time relative to now, with the time itself as its title. */
export function Time({ at }: { readonly at: string | null }): JSX.Element | string {
  if (at === null) return 'never';
  return (
    <time dateTime={at} title={`${at.slice(0, 19).replace('T', ' ')} UTC`}>
      {ago(at)}
    </time>
  );
}

/** The name of a state, in its colour. */
export const Pill = ({ state }: { readonly state: string }): JSX.Element => (
  <span class={`pill ${state.replace(' ', '-')}`}>{state}</span>
);

/** Names and values. Leaves out values that are null. */
export function Facts({ facts }: { readonly facts: Readonly<Record<string, ComponentChildren>> }): JSX.Element {
  const given = Object.entries(facts).filter(([, value]) => value !== null);
  return (
    <dl class="facts">
      {given.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Creates a client of the operator. Without a token, the browser sends the cookie of the session. */
export const operatorWith = (adminToken: string | null): TickreelOperator =>
  createTickreelOperator({ baseUrl: location.origin, adminToken, maxRetries: 2 });

/** Calls an operation by its name in the service's reference, in the session of the console. */
export const { call } = operatorWith(null);
