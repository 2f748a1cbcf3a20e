import * as z from 'zod';
import type { AttemptCode, Facts } from '#domain/failure/codes.ts';
import { cleanName } from '#domain/lib/text.ts';
import { ProblemError } from '#http/problem.ts';
import type { Settings } from '#platform/settings.ts';
import { type FaceitDemo, fileNameIn } from '#protocol/demo/faceit.ts';
import type { FaceitCheck } from '#protocol/operate/operate.ts';
import { type Answered, callOut } from '../lib/call-out.ts';

/** FACEIT's APIs: https://docs.faceit.com/docs/data-api/data and …/getting-started/Guides/download-api, November 2026. */

const TIMEOUT_MS = 10_000;
const MOST_SAID = 150;

const Match = z.object({ status: z.string().max(40).optional(), demo_url: z.array(z.string()).nullish() });
const Signed = z.object({ payload: z.object({ download_url: z.url() }) });
const Refused = z.union([
  z.object({ errors: z.tuple([z.object({ message: z.string() })]).rest(z.unknown()) }),
  z.object({ message: z.string() }),
]);

/** The codes of refusals. A demo fails with `download_error` if the key is refused, as for a link that needs a login. */
const CODES: Readonly<Record<number, AttemptCode>> = { 400: 'demo_url_rejected', 404: 'demo_404' };

type FaceitSettings = Settings & { readonly faceit: NonNullable<Settings['faceit']> };

function askForMatches(settings: FaceitSettings, path: string): Promise<Answered> {
  return ask(settings, settings.faceit.apiKey, { method: 'GET', url: `${settings.faceit.url}/data/v4/${path}` });
}

function askForLink(settings: FaceitSettings, file: string): Promise<Answered> {
  const url = `${settings.faceit.url}/download/v2/demos/download`;
  return ask(settings, settings.faceit.downloadsKey, { url, body: JSON.stringify({ resource_url: file }) });
}

function ask(
  settings: FaceitSettings,
  key: string,
  call: { readonly url: string; readonly method?: string; readonly body?: string },
): Promise<Answered> {
  const headers = { Authorization: `Bearer ${key}`, Accept: 'application/json' };
  return callOut({ ...call, headers, timeoutMs: TIMEOUT_MS, hop: 'faceit', readsJson: true }, settings);
}

/**
 * Returns the signed address of a demo, which FACEIT accepts for some minutes. Throws a problem: `demo_refused` with the
 * code of the job's failure, or `unavailable` if FACEIT does not answer.
 */
export async function signedAddress({ faceit, ...settings }: Settings, demo: FaceitDemo): Promise<string> {
  if (faceit === null) throw refusal('demo_url_rejected', 'this service has no FACEIT_API_KEY');
  const withKeys = { ...settings, faceit };
  const file = demo.file ?? (await fileOfMatch(withKeys, demo));
  return read(await askForLink(withKeys, file), Signed).payload.download_url;
}

/** Returns the file of a match. One of several has to be chosen by its name. */
async function fileOfMatch(
  settings: FaceitSettings,
  { match, name }: FaceitDemo & { file?: undefined },
): Promise<string> {
  const { status, demo_url } = read(await askForMatches(settings, `matches/${match}`), Match);
  const files = demo_url ?? [];
  if (files.length === 0) throw refusal('demo_404', `FACEIT has no demo of this match, which is ${status}`);
  const isNamed = (file: string) => name === null || plainName(file) === plainName(name);
  const [file, ...others] = files.filter(isNamed);
  if (file !== undefined && others.length === 0) return file;
  const demos = files.map((each) => cleanName(fileNameIn(each), MOST_SAID));
  throw refusal('decompress_failed', `the match has the demos ${demos.join(', ')}`, { demos });
}

const plainName = (file: string) => fileNameIn(file).replace(/\.(bz2|gz|zst)$/, '');

function read<T extends z.ZodType>(answered: Answered, shape: T): z.output<T> {
  const { status } = answered;
  if (status === null || status === 429 || status >= 500) {
    const seconds = status !== null && /^\d{1,3}$/.exec(answered.retryAfter ?? '')?.[0];
    const why = status === null ? `no answer: ${answered.why}` : `status ${status}`;
    throw new ProblemError('unavailable', `FACEIT does not answer (${why}).`, {
      headers: { 'Retry-After': seconds || '2' },
    });
  }
  const { data } = shape.safeParse(answered.json);
  if (status === 200 && data !== undefined) return data;
  const reason = saidIn(answered.json);
  const facts = { refused_by: 'FACEIT', http_status: status, reason };
  throw refusal(CODES[status] ?? 'download_error', `FACEIT answered ${status}: ${reason}`, facts);
}

/** Returns what FACEIT says of a refusal: https://docs.faceit.com/docs/data-api/data, "errors". */
function saidIn(json: unknown): string {
  const { data } = Refused.safeParse(json);
  const said = data && ('errors' in data ? data.errors[0].message : data.message);
  return cleanName(said ?? '', MOST_SAID).replace(/\.$/, '') || 'it gives no reason';
}

function refusal(errorCode: AttemptCode, detail: string, facts?: Facts): ProblemError {
  return new ProblemError('demo_refused', detail, { errorCode, facts });
}

/** A file of the right form that no match has. */
const NO_FILE =
  'https://demos-europe-central.backblaze.faceit-cdn.net/cs2/1-00000000-0000-4000-8000-000000000000-1-1.dem.zst';

/** Tries both keys. Whether the second may download shows at a file that does not exist: its refusal is 400 or 404. */
export async function checkFaceit({ faceit, ...settings }: Settings): Promise<FaceitCheck> {
  if (faceit === null) {
    const todo = 'Make a server-side API key in an app at developers.faceit.com, and set it as FACEIT_API_KEY.';
    return { state: 'key_missing', said: null, todo };
  }
  const withKeys = { ...settings, faceit };
  const data = await askForMatches(withKeys, 'games/cs2');
  const downloads = data.status === 200 ? await askForLink(withKeys, NO_FILE) : data;
  if (downloads.status === null || downloads.status === 429 || downloads.status >= 500) {
    const said = downloads.status === null ? downloads.why : `status ${downloads.status}`;
    return { state: 'no_answer', said, todo: 'Try again in some minutes. The keys were not tried to the end.' };
  }
  const said = `${downloads.status}: ${saidIn(downloads.json)}`;
  if (data.status !== 200) {
    const todo = 'Set FACEIT_API_KEY to a server-side API key of an app at developers.faceit.com.';
    return { state: 'data_refused', said, todo };
  }
  if ([200, 400, 404].includes(downloads.status)) return { state: 'works', said: null, todo: null };
  const todo =
    'Apply for the Downloads API at fce.gg/downloads-api-application. If FACEIT gave you a second key, set it as FACEIT_DOWNLOADS_KEY.';
  return { state: 'downloads_refused', said, todo };
}
