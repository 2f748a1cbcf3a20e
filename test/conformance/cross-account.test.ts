import { beforeAll, describe, expect, it } from 'vitest';
import { PICTURES } from '../support/pictures.ts';
import { expectProblem, send } from './support/api.ts';
import { parkedRequest, roundRequest } from './support/requests.ts';
import { type Account, BASE_URL, createAccount, renderedClip } from './support/service.ts';

/** Ids of each kind; `npx node test/soak/cli.ts hostile` asks for more. */
const IDS = Number(process.env.CROSS_ACCOUNT_IDS ?? 5);
/** The number of concurrent requests. */
const ABREAST = 8;

type Kind = 'jobs' | 'clips' | 'assets';

/** Ids that no object can have. */
const IMPOSSIBLE = ['x', '1', 'null', '%00', '..%2f..', 'é', `${crypto.randomUUID()}0`];

/** Every address of the client API with an id in it. */
const ROUTES = [
  ['GET', 'jobs', ''],
  ['POST', 'jobs', '/resubmit'],
  ['POST', 'jobs', '/resend-webhook'],
  ['GET', 'jobs', '/deliveries'],
  ['GET', 'jobs', '/events'],
  ['GET', 'clips', ''],
  ['POST', 'clips', '/save'],
  ['POST', 'clips', '/unsave'],
  ['DELETE', 'clips', ''],
  ['GET', 'assets', ''],
  ['DELETE', 'assets', ''],
] as const satisfies [string, Kind, string][];

let account: Account;
let other: Account;
let foreign: Record<Kind, string[]>;

beforeAll(async () => {
  account = await createAccount();
  other = await createAccount();
  foreign = { jobs: [], clips: [], assets: [] };
  await inParallel(IDS, async (i) => {
    if (i % 2 === 0)
      foreign.jobs.push(await other.metered.submit(parkedRequest({ webhook_url: 'http://127.0.0.1:1/' })));
    const { jobId, clipId } = await renderedClip(other.metered, roundRequest());
    if (i % 2 === 1) foreign.jobs.push(jobId);
    foreign.clips.push(clipId);
    const headers = { Authorization: `Bearer ${other.metered.key}`, 'Content-Type': 'image/png' };
    const url = `${BASE_URL}/api/assets?kind=watermark`;
    const { body } = await send(url, { method: 'POST', headers, body: PICTURES.png });
    foreign.assets.push(String(body.id));
  });
}, 300_000);

async function inParallel(count: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: ABREAST }, worker));
}

async function stateOfOther(): Promise<unknown[]> {
  const states: unknown[] = [];
  for (const [kind, ids] of Object.entries(foreign)) {
    for (const id of ids) states.push((await other.metered.get(`/api/${kind}/${id}`)).body);
  }
  return states;
}

describe('4.2 to 4.7, 5 rule 4 and 7.1: an id of another account', () => {
  it('gets the 404 of an id that does not exist, on every route, and its job or clip does not change', async () => {
    const before = await stateOfOther();
    let requests = 0;
    for (const [method, kind, action] of ROUTES) {
      const unknown = Array.from({ length: IDS }, () => crypto.randomUUID());
      const ids = [...foreign[kind], ...unknown, ...IMPOSSIBLE];
      const bodies = new Set<string>();
      await inParallel(ids.length, async (i) => {
        const key = i % 3 === 0 ? account.reserved : account.metered;
        const answer = await key.call(method, `/api/${kind}/${ids[i]}${action}`);
        const { request_id } = expectProblem(answer, 404);
        bodies.add(answer.text.replace(request_id, ''));
        requests++;
      });
      expect([...bodies], `${method} ${kind}${action}`).toHaveLength(1);
    }
    if (process.env.CROSS_ACCOUNT_IDS !== undefined) process.stdout.write(`${requests} requests, each a 404\n`);
    expect(await stateOfOther()).toEqual(before);
  }, 300_000);
});
