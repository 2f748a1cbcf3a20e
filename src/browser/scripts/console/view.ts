import type { Child } from '../components.ts';

export type Role = 'read' | 'operate' | 'admin';

/** What a view may do beside showing itself. */
export interface Desk {
  /** Whether the operator may do what takes this role. */
  may(role: Role): boolean;
  /** Runs an action, shows a message that it is done or why it failed, and reloads the view. Resolves after that. */
  act(said: string, work: () => Promise<unknown>): Promise<void>;
  /** Shows a secret, once. */
  reveal(title: string, secret: string): void;
  /** Asks before something that cannot be undone. */
  sure(question: string): boolean;
  /** Has something typed that is not typed by mistake; null where it is left. */
  typed(question: string): string | null;
  go(hash: string): void;
}

/** What the address behind `#/` names: `['jobs', id]`, with its query. */
export interface Place {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

export type View = (desk: Desk, place: Place) => Promise<Child>;
