import * as z from 'zod';
import type { AttemptCode, Facts } from '#domain/failure/codes.ts';
import { cleanName } from '#domain/lib/text.ts';
import { ProblemError } from '#http/problem.ts';
import type { Settings } from '#platform/settings.ts';
import { type FaceitDemo, fileNameIn } from '#protocol/demo/faceit.ts';
import type { FaceitCheck } from '#protocol/operate/operate.ts';
import { type Answered, callOut } from '../lib/call-out.ts';

/** FACEIT's APIs: https://docs.faceit.com/docs/data-api/data and …/getting-started/Guides/download-api, November 2026. */

/** A room takes two calls, within the time that a host waits for a first byte. */
const TIMEOUT_MS = 4000;
const MAX_REASON_CHARS = 150;

const Match = z.object({ status: z.string().max(40).optional(), demo_url: z.array(z.string()).nullish() });
const Signed = z.object({ payload: z.object({ download_url: z.url() }) });
const Refused = z.object({ errors: z.array(z.object({ message: z.string() })) });

/** Error codes by FACEIT's status. Any other refusal, such as of the key, is `download_error`. */
const CODES: Readonly<Record<number, AttemptCode>> = { 400: 'demo_url_rejected', 404: 'demo_404' };

type FaceitSettings = Settings & { readonly faceit: NonNullable<Settings['faceit']> };

const LINK = '/download/v2/demos/download';

/** Calls the Data API with `path`, or the Downloads API for a signed link to `resource_url`. */
function ask({ faceit, ...policy }: FaceitSettings, path: string, resource_url?: string): Promise<Answered> {
  const { url, apiKey, downloadsKey } = faceit;
  const isLink = resource_url !== undefined;
  const headers = { Authorization: `Bearer ${isLink ? downloadsKey : apiKey}`, Accept: 'application/json' };
  const call = isLink ? { body: JSON.stringify({ resource_url }) } : { method: 'GET' };
  return callOut({ ...call, url: url + path, headers, timeoutMs: TIMEOUT_MS, hop: 'faceit', readsJson: true }, policy);
}

/**
 * Returns the signed address of a demo, which FACEIT accepts for some minutes. Throws a problem: `demo_refused` with the
 * code of the job's failure, or `unavailable` if FACEIT does not answer.
 */
export async function signedAddress({ faceit, ...settings }: Settings, demo: FaceitDemo): Promise<string> {
  if (faceit === null) throw refusal('demo_url_rejected', 'this service has no FACEIT_API_KEY');
  const withKeys = { ...settings, faceit };
  const file = demo.file ?? (await fileOfMatch(withKeys, demo));
  return read(await ask(withKeys, LINK, file), Signed).payload.download_url;
}

/** Returns the file of a match. One of several has to be chosen by its name. */
async function fileOfMatch(
  settings: FaceitSettings,
  { match, name }: FaceitDemo & { file?: undefined },
): Promise<string> {
  const { status, demo_url } = read(await ask(settings, `/data/v4/matches/${match}`), Match);
  const files = demo_url ?? [];
  if (files.length === 0) throw refusal('demo_404', `FACEIT has no demo of this match, which is ${status}`);
  const [file, ...others] = files.filter((each) => name === null || plainName(each) === plainName(name));
  if (file !== undefined && others.length === 0) return file;
  const demos = files.map((each) => cleanName(fileNameIn(each), MAX_REASON_CHARS));
  throw refusal('decompress_failed', `the match has the demos ${demos.join(', ')}`, { demos });
}

const plainName = (file: string) => fileNameIn(file).replace(/\.(bz2|gz|zst)$/, '');

function read<T extends z.ZodType>(answered: Answered, shape: T): z.output<T> {
  const { status } = answered;
  const json = status === null ? null : answered.json;
  const { data } = shape.safeParse(json);
  if (status === 200 && data !== undefined) return data;
  const said = Refused.safeParse(json).data?.errors[0]?.message ?? '';
  const none = status === null ? answered.why : status === 200 ? 'its answer cannot be read' : 'it gives no reason';
  const reason = cleanName(said, MAX_REASON_CHARS).replace(/\.$/, '') || none;
  const facts = { refused_by: 'FACEIT', http_status: status, reason };
  const text = status === null ? `FACEIT does not answer (${reason})` : `FACEIT answered ${status}: ${reason}`;
  if (status === null || status === 200 || status === 429 || status >= 500) {
    const wait = (status !== null && answered.retryAfter) || '2';
    throw new ProblemError('unavailable', text, { headers: { 'Retry-After': wait }, facts });
  }
  throw refusal(CODES[status] ?? 'download_error', text, facts);
}

function refusal(errorCode: AttemptCode, detail: string, facts?: Facts): ProblemError {
  return new ProblemError('demo_refused', detail, { errorCode, facts });
}

/** A file of the right form that no match has. */
const NO_FILE = 'https://demos-us-east.backblaze.faceit-cdn.net/cs2/1-00000000-0000-4000-8000-000000000000-1-1.dem.zst';

const KEY = 'Set FACEIT_API_KEY to a server-side API key of an app at developers.faceit.com.';
const DOWNLOADS =
  'Apply for the Downloads API at fce.gg/downloads-api-application. If FACEIT gave you a second key, set it as FACEIT_DOWNLOADS_KEY.';

/**
 * Calls each API with its key. Asks the Downloads API for a file that does not exist: if the key may download, it
 * answers 400 or 404.
 */
export async function checkFaceit(settings: Settings): Promise<FaceitCheck> {
  const { faceit } = settings;
  if (faceit === null) return { state: 'key_missing', detail: KEY };
  const data = async () => read(await ask({ ...settings, faceit }, '/data/v4/games/cs2'), z.object());
  for (const [state, call, todo] of [
    ['data_refused', data, KEY],
    ['downloads_refused', () => signedAddress(settings, { file: NO_FILE }), DOWNLOADS],
  ] as const) {
    const error: unknown = await call().catch((reason) => reason);
    if (!(error instanceof ProblemError)) continue;
    if (error.kind === 'unavailable') return { state: 'no_answer', detail: error.message };
    if (call === data || error.errorCode === 'download_error') return { state, detail: `${error.message}. ${todo}` };
  }
  return { state: 'works', detail: null };
}
