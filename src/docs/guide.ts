import { ERROR_CODES } from '#domain/failure/codes.ts';
import { DEFAULT_SCHEDULE } from '#domain/job/schedule.ts';
import { MAX_JSON_BYTES } from '#http/read-body.ts';
import type { Settings } from '#platform/settings.ts';
import { MAX_IMAGE_BYTES, MAX_MUSIC_BYTES, MAX_MUSIC_SECONDS } from '#protocol/account/assets.ts';
import { href, PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { type Html, html } from '../page/html.ts';
import { page } from '../page/words.ts';
import { docsPage } from './pages.ts';
import { quickstart, RECEIVER } from './quickstart.ts';
import { inline } from './words.ts';

const MINUTE = 60_000;
const KIB = 1024;

export const docs = operation({
  route: PUBLIC_ROUTES.docs,
  scope: 'public',
  handler: docsPage('Guide', drawGuide),
});

function drawGuide({ baseUrl, clipTtl }: Pick<Settings, 'baseUrl' | 'clipTtl'>): Html {
  const sections = [
    { id: 'quickstart', title: 'Quickstart', body: quickstart(baseUrl) },
    { id: 'keys', title: 'Keys', body: KEYS },
    { id: 'idempotency', title: 'Idempotency', body: IDEMPOTENCY },
    { id: 'lifecycle', title: 'Life of a job', body: lifecycle() },
    { id: 'webhooks', title: 'Webhooks', body: webhooks() },
    { id: 'errors', title: 'Errors', body: ERRORS },
    { id: 'limits', title: 'Limits', body: limits(clipTtl) },
  ];
  return html`<h1>Moments of a match, as clips</h1>
<p class="lead">Tickreel renders moments of recorded Counter-Strike 2 matches. Post the address of a demo with the moments that you want; get one MP4, one thumbnail and a page to share.</p>
<p>The service is at <code>${baseUrl}</code>. It speaks JSON over HTTPS, as <a href="${href(PUBLIC_ROUTES.openApi)}">OpenAPI 3.1</a>: the <a href="${href(PUBLIC_ROUTES.reference)}">API reference</a> has every operation. Addresses carry no version: fields and codes are only ever added, so ignore what you do not know.</p>
<nav aria-label="Contents"><ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
${sections.map(({ id, title, body }) => html`<section id="${id}"><h2><a href="#${id}">${title}</a></h2>${body}</section>`)}`;
}

const KEYS = html`<p>Send a key with every request below <code>/api</code>, as <code>Authorization: Bearer &lt;key&gt;</code>. An account has three kinds:</p>
<table><thead><tr><th>Kind</th><th>Begins with</th><th>What it submits</th></tr></thead><tbody>
<tr><th scope="row">metered</th><td><code>tr_met_</code></td><td>best-effort jobs, paid by the rendered hour</td></tr>
<tr><th scope="row">reserved</th><td><code>tr_res_</code></td><td>priority jobs, covered by provisioned capacity</td></tr>
<tr><th scope="row">test</th><td><code>tr_test_</code></td><td>jobs that cost nothing and end within a second, as their <code>demo_url</code> says: <code>https://demo.test/ok.dem</code>, <code>/no_kills_found.dem</code> and so for each error, <code>/slow.dem</code>, <code>/retry-then-ok.dem</code></td></tr>
</tbody></table>
<p>A key of scope <code>manage</code> makes others: with <code>POST /api/keys</code>, with <code>tickreel keys create</code>, or in the <a href="/studio">studio</a> under Account. Give each program its own, of the least scope that it needs: <code>ingest</code> only sends demos, <code>read</code> reads, <code>submit</code> also makes clips. A key is revoked with the one that made it, unless you keep it. To replace a key, make the next one with it, move the program, and revoke the old one with <code>keep_made=true</code>. Send keys in headers only: addresses are logged.</p>
<p>The body of a submit is the same for all. A metered or reserved key reads and changes everything of the account but what its test keys make; a test key, only that. Anything of another account is answered with 404. A revoked key is refused everywhere within 30 seconds.</p>`;

const IDEMPOTENCY = html`<p>With your own name for the job as <code>idempotency_key</code>, a submit can be repeated without harm, also by two of your machines at once: one gets 201, all others 200 with the same <code>job_id</code>. Keys belong to the account and do not expire.</p>
<table><thead><tr><th>The key</th><th>Without <code>force</code></th><th>With <code>force</code></th></tr></thead><tbody>
<tr><th scope="row">is new</th><td>201, a new job</td><td>201, a new job</td></tr>
<tr><th scope="row">names a job that has not finished</th><td>200, nothing changes</td><td>200, nothing changes</td></tr>
<tr><th scope="row">names a finished job</th><td>200, nothing changes</td><td>200, it runs again with this request and overwrites its clip</td></tr>
</tbody></table>`;

function lifecycle(): Html {
  const waits = DEFAULT_SCHEDULE.retryWaits.map((wait) =>
    wait < MINUTE ? `${wait / 1000} s` : `${wait / MINUTE} min`,
  );
  return html`<p>A job is <code>pending</code>, then <code>prefetch</code>, then <code>render</code>, and in the end <code>done</code>. After a temporary failure a job is <code>retrying</code>, with an <code>error_code</code>, and is queued again after ${waits.join(', ')}, plus or minus a tenth. It ends in <code>error</code> when the last retry has failed, and at once if a retry cannot help. Follow it with <code>GET /api/jobs/:id/events</code>, poll <code>GET /api/jobs/:id</code>, or wait for the webhook.</p>
<p>A job has one clip: a re-run overwrites its files and keeps its id. During a re-run, and after one that failed, the job's <code>clip_id</code> is null and the clip is unchanged.</p>
<p>With <code>fallback: "radar"</code>, the radar makes the clip if no host can play the demo in the game, or none could take the job for ten minutes.</p>
<h3 id="error-codes">Why a job fails</h3>
<p>Codes may be added: treat an unknown one as a failure. Each has a page with its causes and what to do. <code>GET /api/jobs/:id?include=diagnosis,attempts</code> explains the failure of one job.</p>
<table><thead><tr><th><code>error_code</code></th><th>Meaning</th><th>Retried</th></tr></thead><tbody>${Object.entries(
    ERROR_CODES,
  ).map(
    ([code, { meaning, retryable }]) =>
      html`<tr><th scope="row"><a href="${href(PUBLIC_ROUTES.errorDocs, { code })}"><code>${code}</code></a></th><td>${meaning}</td><td>${retryable ? 'yes' : 'no'}</td></tr>`,
  )}</tbody></table>`;
}

function webhooks(): Html {
  const { webhookAttempts, webhookSpacing } = DEFAULT_SCHEDULE;
  return html`<p>When a job reaches its outcome, the service posts it to the job's <code>webhook_url</code>: <code>job.completed</code> or <code>job.failed</code>, and no other change. The <a href="${href(PUBLIC_ROUTES.reference)}">reference</a> has their fields and headers.</p>
<p>Any 2xx within 10 seconds counts as delivered. After any other answer, a redirect too, it is sent again: ${webhookAttempts} attempts in all, ${webhookSpacing / MINUTE} minutes apart. After that, you can send it again with <code>POST /api/jobs/:id/resend-webhook</code>. <code>GET /api/jobs/:id/deliveries</code> has the result of each attempt. <code>wait_reason</code> says why one waits for a later hour.</p>
<p>A webhook may come twice and out of order. Ignore a delivery id that you have seen, and read the job for its present state. A re-run cancels webhooks that are not delivered yet and sends its own.</p>
<p>Webhooks are not signed unless you make a secret with <code>POST /api/webhook-secrets</code>; then any library of <a href="https://www.standardwebhooks.com">Standard Webhooks</a> checks them. Or choose a <code>webhook_auth_header</code>, which comes as <code>Authorization</code>, and check that. Try your receiver with <code>POST /api/webhooks/test</code> before you rely on it.</p>
<p>This command prints each webhook that is posted to <code>http://127.0.0.1:9000</code>: <code>${RECEIVER}</code>. <code>npm run stack</code> on the same machine can call it. For any other service, <code>tickreel listen --forward</code> sends your webhooks there.</p>`;
}

const ERRORS = html`<p>Every error is a problem (RFC 9457) in <code>application/problem+json</code>. Its <code>type</code> is the URL of its kind on <a href="${href(PUBLIC_ROUTES.problemDocs)}">the page of all kinds</a>. <code>errors</code> lists every wrong field with the rule that it breaks. Every answer has an <code>X-Request-Id</code>.</p>`;

function limits(clipTtl: number): Html {
  const rows: [string, string][] = [
    ['Body of a request', `${MAX_JSON_BYTES / KIB} KiB of JSON`],
    ['An image', `${MAX_IMAGE_BYTES / KIB / KIB} MiB`],
    ['Music', `${MAX_MUSIC_BYTES / KIB / KIB} MiB, ${MAX_MUSIC_SECONDS / 60} minutes`],
    ['`fps`', '5 to 120'],
    ['`resolution`', '1080 or 1440'],
    ['`pre_kill_padding`, `post_kill_padding`', '0.5 to 5 seconds'],
    ['`timeline`', '1 to 20 segments of 64 to 64000 ticks'],
    ['`idempotency_key`', '1 to 255 characters'],
    ['`demo_url`, `webhook_url`, `webhook_auth_header`', 'at most 4096 characters'],
    ['A clip', `is deleted after ${clipTtl / (24 * 60 * MINUTE)} days, unless it is saved`],
  ];
  return html`<table><thead><tr><th>What</th><th>Limit</th></tr></thead><tbody>${rows.map(
    ([what, limit]) => html`<tr><th scope="row">${inline(what)}</th><td>${limit}</td></tr>`,
  )}</tbody></table>`;
}

/** See llmstxt.org. */
export const llms = operation({
  route: PUBLIC_ROUTES.llms,
  scope: 'public',
  handler: async ({ settings: { baseUrl } }) =>
    new Response(llmsText(baseUrl), {
      headers: {
        'Content-Type': 'text/plain; charset=utf-8',
        'Cache-Control': 'public, max-age=300',
        'Access-Control-Allow-Origin': '*',
        'X-Content-Type-Options': 'nosniff',
      },
    }),
});

const llmsText = (baseUrl: string) => `# Tickreel

> Renders moments of recorded Counter-Strike 2 matches into clips: post the address of a demo with the moments that you want, get one MP4, one thumbnail and a page to share.

Every call below \`/api\` carries \`Authorization: Bearer <key>\`. A submit answers at once; the clip comes later. Give each submit an \`idempotency_key\`, so that it can be repeated without harm.

Agents may use the tools of the Model Context Protocol instead, with the same key: streamable HTTP at ${baseUrl}${href(PUBLIC_ROUTES.mcp)}.

## Docs

- [OpenAPI](${baseUrl}${href(PUBLIC_ROUTES.openApi)}): the API as OpenAPI 3.1; read this first
- [Guide](${baseUrl}${href(PUBLIC_ROUTES.docs)}): quickstart, keys, idempotency, the life of a job, webhooks, errors, limits
- [Kinds of problem](${baseUrl}${href(PUBLIC_ROUTES.problemDocs)}): what each error means

## Optional

- [OpenAPI for render hosts](${baseUrl}${href(PUBLIC_ROUTES.gatewayOpenApi)}): what render hosts send to the service
- [OpenAPI for operators](${baseUrl}${href(PUBLIC_ROUTES.operatorOpenApi)}): accounts, keys and render hosts
`;

export const words = (): Words => ({
  docs: {
    tag: 'Reference',
    summary: 'Read the guide',
    description: 'A quickstart, and what applies to every operation.',
    answers: { 200: page('The page as HTML.') },
  },
  llms: {
    tag: 'Reference',
    summary: 'Show language models where to read',
    description: 'Describes the service for language models, with links (llmstxt.org).',
    answers: { 200: { description: 'The description as text.', content: { types: ['text/plain'] } } },
  },
});
