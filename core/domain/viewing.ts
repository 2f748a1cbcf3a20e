/** How an account has its clips shown. */
export interface Viewing {
  /** Sites that may embed its clips and load their files, as `example.com` or `*.example.com`; null for any. */
  readonly embedSites: readonly string[] | null;
  /** Whether pages show how often a clip was watched. */
  readonly showsViews: boolean;
  /** Whether the page of a clip shows others of its match and its player: who has one address then finds more. */
  readonly showsMore: boolean;
}

export const USUAL_VIEWING: Viewing = { embedSites: null, showsViews: false, showsMore: false };

/** Whether a host, with its port if that is an unusual one, is of a site that is named. */
export function isNamedSite(sites: readonly string[], host: string): boolean {
  return sites.some((site) => (site.startsWith('*.') ? host.endsWith(site.slice(1)) : host === site));
}
