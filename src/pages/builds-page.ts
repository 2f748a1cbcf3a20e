import { isoTime } from '#protocol/job-view.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { perService } from '#service/per-service.ts';
import { type BuildVerdictRow, selectBuildVerdicts } from '#storage/game-builds.ts';
import { VERDICTS_SHOWN } from '../admin/builds-list.ts';
import { page } from '../page-words.ts';
import { html } from './html.ts';
import { BRAND } from './icons.ts';
import { type BuiltPage, makePage, sendPage } from './page.ts';

/** Seconds for which an isolate keeps the page, and caches may. */
const KEPT_S = 60;

/** Shows the verdicts on builds of the game. Names no host, account or demo. */
export const buildsPage = operation({
  route: 'GET /status/builds',
  scope: 'public',
  handler: async (service, { request }) => sendPage(await pageOf(service)(), request),
});

const pageOf = perService(({ database, now }) => {
  let kept: { readonly at: number; readonly page: Promise<BuiltPage> } | null = null;
  return () => {
    if (kept === null || now() - kept.at >= KEPT_S * 1000) {
      const made = selectBuildVerdicts(database, VERDICTS_SHOWN).then(drawBuilds);
      kept = { at: now(), page: made };
      // The next request tries again.
      made.catch(() => {
        kept = null;
      });
    }
    return kept.page;
  };
});

const MEANINGS = { passed: 'recorded', refused: 'refused by the game', failed: 'failed' } as const;

function drawBuilds(rows: readonly BuildVerdictRow[]): Promise<BuiltPage> {
  const time = (at: number) => isoTime(at).slice(0, 16).replace('T', ' ');
  const lines = rows.map(
    ({ gameBuild, demoBuild, verdict, jobs, firstAt, lastAt }) => html`<tr><td>${gameBuild}</td><td>${demoBuild}</td>
<td>${MEANINGS[verdict]}</td><td>${String(jobs)}</td><td>${time(firstAt)}</td><td>${time(lastAt)}</td></tr>\n`,
  );
  return makePage({
    cacheControl: `public, max-age=${KEPT_S}`,
    title: 'Builds of the game · Tickreel',
    frameAncestors: "'self'",
    bodyClass: 'page',
    styles:
      'td,th{padding:.3em 1em .3em 0;text-align:left}main{max-width:1280px;margin:0 auto;padding:0 clamp(14px,3vw,32px);overflow-x:auto}',
    body: html`<header class="top">${BRAND}</header>
<main><h1>Builds of the game</h1>
<p>Which builds of Counter-Strike 2 record which demos here. “golden” are the service’s own test demos. Times are UTC.</p>
<table><thead><tr><th>Game</th><th>Demo</th><th>Verdict</th><th>Jobs</th><th>First</th><th>Last</th></tr></thead>
<tbody>${lines}</tbody></table>${rows.length === 0 ? html`<p>None yet.</p>` : null}</main>`,
  });
}

export const words = (): OperationWords => ({
  tag: 'Viewing',
  summary: 'Show builds of the game',
  description: 'Which builds of the game have recorded which demos, and which failed. At most a minute old.',
  answers: { 200: page('The page.') },
});
