import { GENERAL_RULES, RULES } from './rules.ts';

/** The example host with one fault, and the rules that have to find it. */
export interface Breakage {
  /** Ends the sentence "a host that …". */
  readonly does: string;
  readonly from: string;
  readonly to: string;
  /** Words of the rules to run. */
  readonly only: string;
  readonly breaks: readonly string[];
}

/** `only`: words of the one rule to run. `general`: rules that apply to every request. */
function breakage(
  does: string,
  from: string,
  to: string,
  only: string,
  general: readonly (keyof typeof GENERAL_RULES)[] = [],
): Breakage {
  const named = RULES.filter(({ says }) => says.includes(only)).map(({ says }) => says);
  if (named.length !== 1) throw new Error(`${named.length} rules say ${only}`);
  const rules = general.map((name) => GENERAL_RULES[name] ?? '');
  return { does, from, to, only, breaks: rules.length > 0 ? rules : named };
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
    'ends when there is no work',
    'if (granted !== null)',
    'if (granted === null) process.exit(0); else',
    'there is no work',
  ),
  breakage('closes the connection of its claim', 'patienceS: 60', 'patienceS: 1', 'as long as it is held', [
    'patience',
  ]),
  breakage(
    'never claims again',
    'if (granted !== null)',
    'if (granted === null) process.exit(0); else',
    'as long as it is held',
  ),
  breakage('confirms once', ': 250, undefined', ': 9000, undefined', 'first heartbeat'),
  breakage('sends heartbeats too rarely', '? heartbeat_s * 1000', '? heartbeat_s * 6000', 'keeps its lease alive', [
    'heartbeats',
  ]),
  breakage('sends one heartbeat only', '? heartbeat_s * 1000', '? heartbeat_s * 60000', 'keeps its lease alive'),
  breakage('does not repeat a call without an answer', 'tries === 6', 'tries === 1', 'answers get lost'),
  breakage('makes up fences', 'const { fence } = lease;', 'const fence = 7;', PLAIN, ['fence']),
  breakage('ignores Retry-After', 'waitMs: Math.min(', 'waitMs: 0 * Math.min(', '503, and not before'),
  breakage('claims again at once', 'Math.max(error.waitMs ?? 0, 1000)', '1000', 'as a 429'),
  breakage('works on without a lease', 'if (isLost || Date', 'if (Date', 'heartbeat is answered with stale_lease', [
    'lost lease',
  ]),
  breakage(
    'ends after a lost lease',
    'if (lost.signal.aborted || isLost) return;',
    'if (lost.signal.aborted || isLost) process.exit(0);',
    'heartbeat is answered with stale_lease',
  ),
  breakage('reports under a lost lease', 'if (lost.signal.aborted || isLost) return;', '', 'during an upload'),
  breakage('never uploads a file again', 'tries = 2', 'tries = 1', 'uploads a file again'),
  breakage('uploads a file again for ever', 'tries - 1)', 'tries)', 'loses a file each time'),
  breakage('repeats a refused report', 'if (!error.isTransient || tries', 'if (tries', 'refuses its completion'),
  breakage('reports a missing demo with another code', "? 'demo_404'", "? 'download_error'", 'whose demo is missing'),
  breakage('mistakes an unknown name for a missing demo', 'demo.status === 404', 'demo.status !== 403', 'not resolve'),
  breakage('does not report its clock', 'Math.abs(offS) > 60', 'offS === 60', 'an hour off'),
  breakage('follows every redirect', "redirect: 'manual'", "redirect: 'follow'", 'redirect'),
  breakage(
    'draws no watermark',
    'if (watermark_image_id !== null)',
    'if (watermark_image_id === 0)',
    'fetches the watermark',
  ),
  breakage(
    'mistakes a missing image for a lost lease',
    '? failure(gone,',
    '? Object.assign(error,',
    'watermark is gone',
  ),
  breakage(
    'fetches an uploaded demo from its address',
    'if (grant.is_uploaded_demo)',
    'if (!grant)',
    'an uploaded demo from',
  ),
  breakage('mistakes a deleted demo for a lost lease', "'demo', 'demo_404'", "'demo', 'upload_error'", 'was deleted'),
  breakage('renders a demo that it should inspect', "=== 'inspect'", "=== 'look'", 'what it finds'),
  breakage(
    'inspects a demo that is missing',
    'else await download(order.demo_url, lost.signal);',
    "else if (order.selection.mode !== 'inspect') await download(order.demo_url, lost.signal);",
    'to inspect is missing',
  ),
  breakage(
    'refuses unknown fields',
    'const { fence } = lease;',
    'const { fence } = lease; if (Object.keys(grant).length > 9) return;',
    'newer service',
  ),
  breakage(
    'mistakes a firewall for the service',
    "if (error.problem === 'unauthorized')",
    'if (!error.waitMs)',
    'answers 403',
  ),
  breakage('claims for ever with a refused token', 'process.exit(2)', '', 'refuses its token'),
  breakage(
    'ends without ending its claim',
    "addEventListener('abort', leave",
    "addEventListener('left', leave",
    'ends its claim',
  ),
  breakage('claims after a stop signal', 'while (!leaving.signal.aborted)', 'while (true)', 'during the work'),
  breakage('sends no token', 'Authorization: `Bearer', 'Authorization: `Basic', PLAIN, ['token']),
  breakage('waits for too long', 'wait_s: 30', 'wait_s: 31', PLAIN, ['shape']),
  breakage('reports demos that it does not have', 'wait_s: 30', 'demo_keys: ["0".repeat(32)], wait_s: 30', PLAIN, [
    'demo keys',
  ]),
  breakage(
    'uses one cached demo for all accounts',
    'const demo = await fetch(',
    'const demo = globalThis.kept ??= await fetch(',
    'another account',
  ),
  breakage('sends no request id', 'if (id !== undefined)', 'if (id === null)', PLAIN, ['request id']),
  breakage(
    'starts to work before the confirmation',
    'const beating = beat(grant, state, done, lost);',
    'const beating = delay(2000).then(() => beat(grant, state, done, lost));',
    PLAIN,
    ['confirmation'],
  ),
  breakage('reports too much progress', 'progress: 0 }', 'progress: 0.95 }', '503, and not before', ['progress']),
  breakage('sends a wrong SHA-256', 'sha256: sha256(part)', 'sha256: sha256(bytes)', PLAIN, ['parts']),
  breakage('announces other bytes', 'return { bytes: bytes.length,', 'return { bytes: bytes.length + 1,', PLAIN, [
    'completion',
  ]),
];
