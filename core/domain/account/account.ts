import type { Brand } from './brand.ts';

/** The scopes of a key. Each includes those before it, but `read` does not include `ingest`. */
export const SCOPES = ['ingest', 'read', 'submit', 'manage'] as const;
export type Scope = (typeof SCOPES)[number];

export function allows(scope: Scope, needed: Scope): boolean {
  if (scope === 'read' && needed === 'ingest') return false;
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
}

/** How a demo came: from a client, from a game server, or as a message of FACEIT. */
export const UPLOAD_SOURCES = ['upload', 'ingest', 'faceit'] as const;

/**
 * The tier of an API key and of its jobs. `metered`: best effort, paid by the rendered hour. `reserved`: priority,
 * covered by provisioned capacity; on the wire a reserved job has `priority: true`.
 */
export const TIERS = ['metered', 'reserved'] as const;

export type Tier = (typeof TIERS)[number];

/** The kinds of API keys. A test key reaches no host and costs nothing (docs/test-keys.md). */
export const KEY_KINDS = [...TIERS, 'test'] as const;

export type KeyKind = (typeof KEY_KINDS)[number];

export function tierOf(priority: boolean): Tier {
  return priority ? 'reserved' : 'metered';
}

/** What a rule may cause on a day (UTC) if its maker does not say. */
export const DEFAULT_BUDGET = { demos_a_day: 20, clips_a_day: 50 } as const;

/** Days that views are kept, with today. */
export const VIEWS_KEPT_DAYS = 90;

/** How an account's clips are shown. */
export interface Viewing {
  /** Its own brand, which the operator sets. */
  readonly brand?: Brand | null;
  /** Sites that may embed its clips and load their files, as `example.com` or `*.example.com`; null for any. */
  readonly embedSites: readonly string[] | null;
  readonly showsViews: boolean;
  /** Whether a clip's page lists others of its match and player. A viewer of one clip then finds more. */
  readonly showsMore: boolean;
  /** Whether its new clips hide the names of players, unless their request says `names`. */
  readonly hidesNames: boolean;
  /** Whether the operator hides its clips, while it is suspended. */
  readonly isHidden: boolean;
}

export const USUAL_VIEWING: Viewing = {
  embedSites: null,
  showsViews: false,
  showsMore: false,
  hidesNames: false,
  isHidden: false,
};

/** Whether a host, including an unusual port, belongs to one of the named sites. */
export function isNamedSite(sites: readonly string[], host: string): boolean {
  return sites.some((site) => (site.startsWith('*.') ? host.endsWith(site.slice(1)) : host === site));
}
