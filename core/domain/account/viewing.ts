/** Days that views are kept, with today. */
export const VIEWS_KEPT_DAYS = 90;

/** How an account's clips are shown. */
export interface Viewing {
  /** Sites that may embed its clips and load their files, as `example.com` or `*.example.com`; null for any. */
  readonly embedSites: readonly string[] | null;
  /** Whether pages show the number of views. */
  readonly showsViews: boolean;
  /** Whether a clip's page lists others of its match and player. A viewer of one clip then finds more. */
  readonly showsMore: boolean;
  /** Whether the operator hides its clips, while it is suspended. */
  readonly isHidden: boolean;
}

export const USUAL_VIEWING: Viewing = { embedSites: null, showsViews: false, showsMore: false, isHidden: false };

/** Whether a host, including an unusual port, belongs to one of the named sites. */
export function isNamedSite(sites: readonly string[], host: string): boolean {
  return sites.some((site) => (site.startsWith('*.') ? host.endsWith(site.slice(1)) : host === site));
}
