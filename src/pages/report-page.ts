import { REPORT_REASONS } from '#domain/clip-report.ts';
import type { PublicRecord } from '#domain/public-record.ts';
import { REPORT_CONTACT, REPORT_TEXT } from '#protocol/reports.ts';
import { PUBLIC_ROUTES, replayUrl } from '#protocol/routes.ts';
import { clipUrls } from '#protocol/webhook.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { limitGuesses } from '../limit-guesses.ts';
import { note, page } from '../page-words.ts';
import { loadPublicRecord } from '../public-clip.ts';
import { withProblems } from './absent-clip.ts';
import { clipFacts } from './clip-facts.ts';
import { type Html, html } from './html.ts';
import { BRAND } from './icons.ts';
import { sendNote } from './note-page.ts';
import { makePage, type Page, sendPage } from './page.ts';
import { REPORT_STYLES } from './page-styles.ts';
import { reportUrl } from './report-link.ts';

/** The form with which a viewer reports a clip or a replay. */
export const reportPage = operation({
  route: PUBLIC_ROUTES.reportPage,
  scope: 'public',
  handler: limitGuesses(
    withProblems(async (service, context) => {
      const { request } = context;
      const { id } = context.params;
      const record = await loadPublicRecord(service, id, context);
      if (!('clip' in record)) return sendNote(record.state, 'page', request);
      if (service.settings.abuseUrl !== null) return seeOther(reportUrl(service.settings, id));
      return sendPage(await makePage(drawForm(id, record)), request);
    }),
  ),
});

export const words = (): OperationWords => ({
  tag: 'Administration',
  summary: 'Show the form for reports',
  description: 'Redirects (303) where the operator names another address.',
  answers: { 200: page('The form.'), 404: note('There is no such clip.'), 410: note('The clip was deleted.') },
});

/** What was sent, and why it was not taken. */
interface Refusal {
  readonly given: Readonly<Record<string, string>>;
  readonly message: string;
}

/** What a report is about, with the address of its page. */
type Reported = Extract<PublicRecord, { readonly clip: object }>;
const addressOf = (id: string, { state }: Reported): string =>
  state === 'ready' ? clipUrls('', id).page : replayUrl('', id);

export function drawForm(id: string, record: Reported, { given, message }: Refusal = { given: {}, message: '' }): Page {
  const reasons = Object.entries(REPORT_REASONS).map(
    ([name, text]) => html`<option value="${name}"${given.reason === name ? html` selected` : null}>${text}</option>`,
  );
  return drawReport(
    'Report this clip',
    html`<p><a href="${addressOf(id, record)}"><bdi>${record.state === 'ready' ? clipFacts(record.clip).headline : 'Replay'}</bdi></a></p>
${message === '' ? null : html`<p role="alert">${message}</p>`}
<form method="post">
<label>What is wrong with it?<select name="reason" required><option value="">Choose a reason</option>${reasons}</select></label>
<label>What should the operator know?<textarea name="text" rows="6" maxlength="${REPORT_TEXT}">
${given.text ?? ''}</textarea></label>
<label>Your mail address, if you want an answer<input type="email" name="contact" maxlength="${REPORT_CONTACT}" autocomplete="email" value="${given.contact ?? ''}"></label>
<p class="hint">The operator of this service reads it. Whoever made the clip does not see who reported it. It is deleted after 90 days.</p>
<button class="main">Send the report</button>
</form>`,
  );
}

export function drawThanks(id: string, record: Reported): Page {
  const back = html`<p><a href="${addressOf(id, record)}">Back to the clip</a></p>`;
  return drawReport('Thank you', html`<p>The operator of this service has your report.</p>${back}`);
}

function drawReport(title: string, content: Html): Page {
  return {
    title: `${title} · Tickreel`,
    frameAncestors: "'self'",
    bodyClass: 'page',
    styles: REPORT_STYLES,
    hasForm: true,
    head: html`<meta name="robots" content="noindex">`,
    body: html`<header class="top">${BRAND}</header>
<main class="reporting"><h1>${title}</h1>
${content}</main>`,
  };
}

export function seeOther(location: string): Response {
  return new Response(null, { status: 303, headers: { Location: location, 'Cache-Control': 'no-store' } });
}
