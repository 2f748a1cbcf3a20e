import { GENERAL_RULES, RULES } from './rules.ts';

/** The example host with one thing wrong, and the rules that have to notice. */
export interface Breakage {
  /** Ends the sentence "a host that …". */
  readonly does: string;
  readonly from: string;
  readonly to: string;
  /** Words of the rule that is played. */
  readonly only: string;
  readonly breaks: readonly string[];
}

/** `only`: words of the one rule that it is tried with. `general`: rules that hold of every request. */
function breakage(
  does: string,
  from: string,
  to: string,
  only: string,
  general: readonly (keyof typeof GENERAL_RULES)[] = [],
): Breakage {
  const said = RULES.filter(({ says }) => says.includes(only)).map(({ says }) => says);
  if (said.length !== 1) throw new Error(`${said.length} rules say ${only}`);
  const rules = general.map((name) => GENERAL_RULES[name] ?? '');
  return { does, from, to, only, breaks: rules.length > 0 ? rules : said };
}

const PLAIN = 'renders, uploads both files';

export const BREAKAGES: readonly Breakage[] = [
  breakage(
    'uploads no thumbnail',
    "await upload('thumbnail', clip.thumbnail)",
    '{ bytes: 1, sha256: sha256("") }',
    PLAIN,
  ),
  breakage(
    'leaves when there is no work',
    'if (granted !== null)',
    'if (granted === null) process.exit(0); else',
    'there is no work',
  ),
  breakage('hangs up on its claim', 'patienceS: 60', 'patienceS: 1', 'as long as it is held', ['patience']),
  breakage(
    'lets claims go unanswered',
    'if (granted !== null)',
    'if (granted === null) process.exit(0); else',
    'as long as it is held',
  ),
  breakage('confirms once', ': 250, undefined', ': 9000, undefined', 'first heartbeat'),
  breakage('beats seldom', '? heartbeat_s * 1000', '? heartbeat_s * 6000', 'keeps its lease alive', ['heartbeats']),
  breakage('beats no more', '? heartbeat_s * 1000', '? heartbeat_s * 60000', 'keeps its lease alive'),
  breakage('gives up what is not answered', 'tries === 6', 'tries === 1', 'answers get lost'),
  breakage('makes up fences', 'const { fence } = lease;', 'const fence = 7;', PLAIN, ['fence']),
  breakage('is deaf to Retry-After', 'waitMs: Math.min(', 'waitMs: 0 * Math.min(', '503, and not before'),
  breakage('asks again at once', 'Math.max(error.waitMs ?? 0, 1000)', '1000', 'as a 429'),
  breakage('works on without a lease', 'if (isLost || Date', 'if (Date', 'heartbeat is answered with stale_lease', [
    'lost lease',
  ]),
  breakage(
    'dies of a lost lease',
    'if (lost.signal.aborted || isLost) return;',
    'if (lost.signal.aborted || isLost) process.exit(0);',
    'heartbeat is answered with stale_lease',
  ),
  breakage('reports what is lost', 'if (lost.signal.aborted || isLost) return;', '', 'amid an upload'),
  breakage('never begins a file anew', 'tries = 2', 'tries = 1', 'begins a file anew'),
  breakage('begins a file anew for ever', 'tries - 1)', 'tries)', 'gives a file up'),
  breakage(
    'says again what was refused',
    'if (!error.isTransient || tries',
    'if (tries',
    'takes its completion for wrong',
  ),
  breakage('calls a missing demo by another name', "? 'demo_404'", "? 'download_error'", 'whose demo is not there'),
  breakage('follows every redirect', "redirect: 'manual'", "redirect: 'follow'", 'redirect'),
  breakage(
    'leaves the watermark out',
    'if (watermark_image_id !== null)',
    'if (watermark_image_id === 0)',
    'fetches the watermark',
  ),
  breakage('takes a lost image for a lost lease', '? failure(gone,', '? Object.assign(error,', 'watermark is gone'),
  breakage(
    'looks for an uploaded demo elsewhere',
    'if (grant.is_uploaded_demo)',
    'if (!grant)',
    'an uploaded demo from',
  ),
  breakage('takes a deleted demo for a lost lease', "'demo', 'demo_404'", "'demo', 'upload_error'", 'was deleted'),
  breakage('renders what it was to look into', "=== 'inspect'", "=== 'look'", 'what it finds'),
  breakage(
    'makes up a demo that is not there',
    'else await download(order.demo_url, lost.signal);',
    "else if (order.selection.mode !== 'inspect') await download(order.demo_url, lost.signal);",
    'to look into is not',
  ),
  breakage(
    'wants to know every field',
    'const { fence } = lease;',
    'const { fence } = lease; if (Object.keys(grant).length > 9) return;',
    'newer service',
  ),
  breakage(
    'takes a firewall for the service',
    "if (error.problem === 'unauthorized')",
    'if (!error.waitMs)',
    'answers 403',
  ),
  breakage('knocks for ever', 'process.exit(2)', '', 'refuses its token'),
  breakage(
    'is gone with its claim',
    "addEventListener('abort', leave",
    "addEventListener('left', leave",
    'ends its claim',
  ),
  breakage('claims on when told to stop', 'while (!leaving.signal.aborted)', 'while (true)', 'amid the work'),
  breakage('forgets its token', 'Authorization: `Bearer', 'Authorization: `Basic', PLAIN, ['token']),
  breakage('waits for too long', 'wait_s: 30', 'wait_s: 31', PLAIN, ['shape']),
  breakage('makes up demos', 'wait_s: 30', 'demo_keys: ["0".repeat(32)], wait_s: 30', PLAIN, ['demo keys']),
  breakage(
    'has one demo for all accounts',
    'const demo = await fetch(',
    'const demo = globalThis.kept ??= await fetch(',
    'another account',
  ),
  breakage('names no grant', 'if (id !== undefined)', 'if (id === null)', PLAIN, ['request id']),
  breakage(
    'works first',
    'const beating = beat(grant, state, done, lost);',
    'const beating = delay(2000).then(() => beat(grant, state, done, lost));',
    PLAIN,
    ['confirmation'],
  ),
  breakage('has done more than it does', 'progress: 0 }', 'progress: 0.95 }', '503, and not before', ['progress']),
  breakage('sums up the wrong bytes', 'sha256: sha256(part)', 'sha256: sha256(bytes)', PLAIN, ['parts']),
  breakage('announces other bytes', 'return { bytes: bytes.length,', 'return { bytes: bytes.length + 1,', PLAIN, [
    'completion',
  ]),
];
