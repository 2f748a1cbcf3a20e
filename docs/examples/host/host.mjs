// A render host by docs/gateway.md alone, without any of the service's code. In place of a game it draws a test picture
// with ffmpeg: put your renderer into `render`. TICKREEL_URL=… TICKREEL_HOST_TOKEN=tr_host_… node host.mjs
import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const { TICKREEL_URL, TICKREEL_HOST_TOKEN, FFMPEG_PATH = 'ffmpeg' } = process.env;
const ABLE = {
  renderer: 'radar',
  max_resolution: 1440,
  max_fps: 120,
  game_build: null,
  agent_version: 'example',
  skills: ['uploads', 'inspect'],
};
const leaving = new AbortController();
process.once('SIGTERM', () => leaving.abort());
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const failure = (errorCode, detail, facts) => Object.assign(new Error(detail), { errorCode, facts });
const parse = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
};

/** Sends one request. Throws an error that says what to make of a refusal. */
async function ask(method, path, body, { id, signal = new AbortController().signal, patienceS = 30 } = {}) {
  const isJson = body !== undefined && !(body instanceof Uint8Array);
  const headers = { Authorization: `Bearer ${TICKREEL_HOST_TOKEN}` };
  if (isJson) headers['Content-Type'] = 'application/json';
  if (id !== undefined) headers['X-Request-Id'] = id;
  const until = AbortSignal.any([signal, AbortSignal.timeout(patienceS * 1000)]);
  const request = { method, headers, body: isJson ? JSON.stringify(body) : body, signal: until, redirect: 'manual' };
  const answer = await fetch(`${TICKREEL_URL}/gateway/v1${path}`, request).catch(() => null);
  const offS = Math.round((Date.now() - Date.parse(answer?.headers.get('Date'))) / 1000);
  ABLE.clock_off_s = Math.abs(offS) > 60 ? offS : undefined;
  const bytes = await answer?.bytes().catch(() => null);
  if (answer?.ok && bytes) return answer.status === 204 ? null : bytes;
  const text = Buffer.from(bytes ?? []).toString();
  const status = answer?.ok ? 0 : (answer?.status ?? 0);
  const { type, ...told } = parse(text);
  const problem = type?.split('#')[1];
  throw Object.assign(new Error(`the gateway answered ${status}: ${text}`), {
    problem,
    told,
    to: answer?.headers.get('Location'),
    isLost: problem === 'stale_lease' || status === 404,
    // No answer, trouble that passes, or the page of a firewall, which says nothing of this host's token.
    isTransient: [0, 408, 425, 429].includes(status) || status >= 500 || ([401, 403].includes(status) && !problem),
    waitMs: Math.min(Number(answer?.headers.get('Retry-After') ?? 0) * 1000, 60_000),
  });
}

/** Sends a request until it is answered, six times at most. */
async function insist(method, path, body, options) {
  for (let tries = 1; ; tries++) {
    try {
      return await ask(method, path, body, options);
    } catch (error) {
      if (!error.isTransient || tries === 6 || options.signal.aborted) throw error;
      await delay(Math.max(error.waitMs, 250 * 2 ** tries), undefined, { signal: options.signal });
    }
  }
}

/** The demo from where it lies. */
async function download(demo_url, signal) {
  const demo = await fetch(demo_url, { redirect: 'manual', signal }).catch((error) => ({ status: error.message }));
  if (!demo.ok) throw failure(demo.status === 404 ? 'demo_404' : 'download_error', `the demo: ${demo.status}`);
  await demo.body?.cancel();
}

/** Your parser: what is in a demo. */
const inspect = () => ({
  map: 'de_testsrc',
  game_patch: null,
  build: null,
  tick_rate: 64,
  first_tick: 1,
  last_tick: 6400,
  is_complete: true,
  recorded_by: null,
  players: [],
  rounds: [],
  kills: [],
  highlights: [],
});

/** Your renderer: from the order to an MP4, a JPEG and what is to be seen. */
async function render({ fps, watermark_image_id }, folder, fetchWatermark, signal) {
  const [video, thumbnail, mark] = ['clip.mp4', 'thumbnail.jpg', 'mark'].map((name) => join(folder, name));
  const input = ['-f', 'lavfi', '-i', `testsrc=size=320x180:rate=${fps}:duration=1`];
  if (watermark_image_id !== null) {
    await writeFile(mark, await fetchWatermark());
    input.push('-i', mark, '-filter_complex', 'overlay');
  }
  await promisify(execFile)(FFMPEG_PATH, [...input, '-pix_fmt', 'yuv420p', video], { signal });
  await promisify(execFile)(FFMPEG_PATH, ['-i', video, '-frames:v', '1', thumbnail], { signal });
  const facts = { kills: 1, players: ['Nobody'], map: 'de_testsrc', round: null };
  return { facts, seconds: 1, video: await readFile(video), thumbnail: await readFile(thumbnail) };
}

/** Keeps a lease alive until the job is done, and calls `confirm` once it is held; one that is lost ends the work. */
async function beat({ job_id, lease: { fence, ttl_s, heartbeat_s }, request_id: id }, state, confirm, done, lost) {
  let isConfirmed = false;
  for (let heardAt = Date.now(); !done.signal.aborted && !lost.signal.aborted; ) {
    try {
      // The grant is taken back after five seconds unless it is confirmed.
      const patienceS = isConfirmed ? 30 : 1.5;
      await ask('POST', `/jobs/${job_id}/heartbeat`, { fence, ...state }, { id, patienceS });
      isConfirmed = true;
      confirm();
      heardAt = Date.now();
    } catch ({ isLost }) {
      if (isLost || Date.now() - heardAt > ttl_s * 1000) lost.abort();
    }
    await delay(isConfirmed ? heartbeat_s * 1000 : 250, undefined, { signal: done.signal }).catch(() => {});
  }
}

/** Works on one job, and tells the gateway how it ends. */
async function work(grant) {
  const { job_id, order, lease, part_bytes, request_id: id } = grant;
  const { fence } = lease;
  const [lost, done] = [new AbortController(), new AbortController()];
  const say = (path, body, method = 'POST') =>
    insist(method, `/jobs/${job_id}/${path}`, body, { id, signal: lost.signal });
  const sayJson = async (...request) => JSON.parse(Buffer.from(await say(...request)).toString());
  const upload = async (file, bytes, tries = 2) => {
    try {
      const { upload_id } = await sayJson('uploads', { fence, file });
      const parts = [];
      for (let at = 0; at < bytes.length; at += part_bytes) {
        const part = bytes.subarray(at, at + part_bytes);
        const query = { fence, file, upload_id, part: parts.length + 1, sha256: sha256(part) };
        parts.push(await sayJson(`uploads/part?${new URLSearchParams(query)}`, part, 'PUT'));
      }
      await say('uploads/complete', { fence, file, upload_id, parts });
      return { bytes: bytes.length, sha256: sha256(bytes) };
    } catch (error) {
      if (error.problem !== 'upload_incomplete' || tries === 1) throw error;
      return upload(file, bytes, tries - 1);
    }
  };
  const state = { phase: 'prefetch', progress: 0 };
  const held = Promise.withResolvers();
  lost.signal.addEventListener('abort', () => held.reject(lost.signal.reason));
  held.promise.catch(() => {});
  const beating = beat(grant, state, held.resolve, done, lost);
  const folder = await mkdtemp(join(tmpdir(), 'example-host-'));
  try {
    const fetchOr = (file, gone) =>
      say(`${file}?fence=${fence}`, undefined, 'GET').catch((error) => {
        const { problem, told, to } = error;
        if (problem === 'demo_refused') throw failure(told.error_code, told.detail, told.facts);
        // FACEIT's signed address, which needs no token.
        if (file === 'demo' && to) return download(to, lost.signal);
        throw error.isLost && error.problem !== 'stale_lease' ? failure(gone, `there is no ${file}`) : error;
      });
    // Nothing else may be said of a grant that is not confirmed.
    await held.promise;
    // What its account has uploaded lies at the gateway, and nowhere else.
    if (grant.is_uploaded_demo) await fetchOr('demo', 'demo_404');
    else await download(order.demo_url, lost.signal);
    if (order.selection.mode === 'inspect') {
      await say('inspected', { fence, demo: inspect() });
      return;
    }
    const clip = await render(order, folder, () => fetchOr('assets/watermark', 'render_failed'), lost.signal);
    Object.assign(state, { phase: 'render', progress: 0.9 });
    const files = { video: await upload('video', clip.video), thumbnail: await upload('thumbnail', clip.thumbnail) };
    const { facts, seconds: duration_seconds } = clip;
    await say('complete', { fence, title: `A kill on ${facts.map}`, facts, duration_seconds, ...files });
  } catch ({ errorCode, facts, isLost, isTransient, message }) {
    if (lost.signal.aborted || isLost) return;
    // What the gateway refuses for good is refused after another render as well.
    const refused = isTransient === undefined ? 'render_failed' : isTransient ? 'upload_error' : 'finalize_failed';
    await say('fail', { fence, code: errorCode ?? refused, detail: message.slice(0, 2000), facts }).catch(() => {});
  } finally {
    done.abort();
    await beating;
    await rm(folder, { recursive: true, force: true });
  }
}

process.stderr.write(`Asking ${TICKREEL_URL} for work.\n`);
while (!leaving.signal.aborted) {
  const poll_id = randomUUID();
  let isHeld = true;
  // A claim that is merely cut off would take the next job along: it is ended at the gateway.
  const leave = async () => {
    for (; isHeld; await delay(500)) await ask('POST', '/claim/end', { poll_id }).catch(() => {});
  };
  leaving.signal.addEventListener('abort', leave, { once: true });
  try {
    const granted = await ask('POST', '/claim', { capabilities: ABLE, wait_s: 30, poll_id }, { patienceS: 60 });
    isHeld = false;
    // One that is granted while the host leaves is its last.
    if (granted !== null) await work(JSON.parse(Buffer.from(granted).toString()));
  } catch (error) {
    isHeld = false;
    if (error.problem === 'unauthorized') {
      process.stderr.write('The gateway does not know this host. Ask its operator for a token.\n');
      process.exit(2);
    }
    await delay(Math.max(error.waitMs ?? 0, 1000), undefined, { signal: leaving.signal }).catch(() => {});
  } finally {
    leaving.signal.removeEventListener('abort', leave);
  }
}
