import { ProblemError } from '#http/problem.ts';
import { addressOf } from '#http/rate-limit.ts';
import { mediaType, readBytes } from '#http/read-body.ts';
import { ReportForm } from '#protocol/reports.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { insertReport } from '#storage/reports.ts';
import { limitGuesses } from '../limit-guesses.ts';
import { page } from '../page-words.ts';
import { loadPublicRecord } from '../public-clip.ts';
import { sendNote } from './note-page.ts';
import { makePage, sendPage } from './page.ts';
import { reportUrl } from './report-link.ts';
import { drawForm, drawThanks, seeOther } from './report-page.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
/** More than the longest report has, at nine bytes a character. */
const MOST_BYTES = 32 * 1024;

/**
 * Stores a report of a clip or a replay. It needs no session, so a form of another site can only do what its visitor
 * can do here.
 */
export const sendReport = operation({
  route: 'POST /clips/:id/report',
  scope: 'public',
  handler: limitGuesses(async (service, context) => {
    const { settings, database, limits, now } = service;
    const { request } = context;
    const { id } = context.params;
    const record = await loadPublicRecord(service, id, context);
    if (!('clip' in record)) return sendNote(record.state, 'page', request);
    if (settings.abuseUrl !== null) return seeOther(reportUrl(settings, id));
    if (mediaType(request) !== FORM_TYPE) throw new ProblemError('unsupported_media_type', `Send ${FORM_TYPE}.`);
    const text = new TextDecoder().decode(await readBytes(request, MOST_BYTES));
    const given = Object.fromEntries(new URLSearchParams(text));
    const showAgain = async (status: number, message: string, headers = {}) =>
      sendPage(await makePage({ ...drawForm(id, record, { given, message }), status, headers }), request);
    const { data, error } = ReportForm.safeParse(given);
    if (error) return showAgain(400, error.issues[0]?.message ?? '');
    if ((await limits.reports.take(addressOf(request, settings))) > 0) {
      const message = 'Too many reports came from your network. Wait a minute and send it again.';
      return showAgain(429, message, { 'Retry-After': '60' });
    }
    if (!(await insertReport(database, { id: crypto.randomUUID(), clipId: id, createdAt: now(), ...data }))) {
      return showAgain(429, 'The operator has many reports already, of this clip or of others. Try it again tomorrow.');
    }
    return sendPage(await makePage(drawThanks(id, record)), request);
  }),
});

export const words = (): OperationWords => ({
  tag: 'Administration',
  summary: 'Report a clip',
  description: 'What the form sends: `reason`, `text`, `contact`.',
  body: { types: [FORM_TYPE] },
  answers: {
    200: page('The operator has it.'),
    400: page('The form, with what is wrong.'),
    429: page('Too many reports.'),
  },
  problems: ['unsupported_media_type'],
});
