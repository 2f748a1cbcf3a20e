import { createExecutionContext, runDurableObjectAlarm, waitOnExecutionContext } from 'cloudflare:test';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Bindings } from '#service/bindings.ts';
import { createService } from '#service/service.ts';
import { createApp } from '#src/worker.ts';
import { CAPABILITIES } from '../support/capabilities.ts';
import { clipIdOf } from '../support/clip-ids.ts';
import { hostOf } from '../support/host.ts';
import { PICTURES } from '../support/pictures.ts';
import {
  ADMIN_TOKEN,
  BASE_URL,
  bindings,
  createAccount,
  createHost,
  roundRequest,
  submit,
} from '../support/service.ts';

/** The calls of the platform by one request before its answer. */
interface Cost {
  d1: number;
  objectCalls: number;
  r2: number;
}

const cost: Cost = { d1: 0, objectCalls: 0, r2: 0 };

/** Wraps bindings and counts D1 statements, calls of objects and R2 operations. */
function counted(): Bindings {
  return {
    ...bindings,
    DB: countStatements(bindings.DB),
    CLIPS: onCall(bindings.CLIPS, () => {
      cost.r2++;
    }),
    ASSETS: onCall(bindings.ASSETS, () => {
      cost.r2++;
    }),
    RENDER_JOB: onCall(bindings.RENDER_JOB, () => {
      cost.objectCalls++;
    }),
    DISPATCHER: onCall(bindings.DISPATCHER, () => {
      cost.objectCalls++;
    }),
  };
}

function countStatements(database: D1Database): D1Database {
  const counting = onCall(database, (name) => {
    if (name === 'prepare') cost.d1++;
  });
  const withSession = (at: string) => countStatements(database.withSession(at) as unknown as D1Database);
  return new Proxy(counting, { get: (of, name) => (name === 'withSession' ? withSession : Reflect.get(of, name)) });
}

/** Counts the calls of a stub by name. Handlers get one stub for each call. */
function onCall<T extends object>(target: T, count: (name: string) => void): T {
  return new Proxy(target, {
    get(object, name) {
      const member: unknown = Reflect.get(object, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        count(String(name));
        return member.apply(object, args);
      };
    },
  });
}

let app: ReturnType<typeof createApp>;
let key: string;
let jobId: string;
let hostToken: string;
let clipId: string;

async function costOf(method: string, path: string, body?: object | Uint8Array, token = key): Promise<Cost> {
  Object.assign(cost, { d1: 0, objectCalls: 0, r2: 0 });
  const isBytes = body instanceof Uint8Array;
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': isBytes ? 'image/png' : 'application/json' };
  const context = createExecutionContext();
  const init = body ? { method, headers, body: isBytes ? body : JSON.stringify(body) } : { method, headers };
  const response = await app(new Request(BASE_URL + path, init), context);
  expect(response.status).toBeLessThan(300);
  await response.arrayBuffer();
  const total = { ...cost };
  await waitOnExecutionContext(context);
  return total;
}

beforeAll(async () => {
  app = createApp(createService(counted()));
  key = (await createAccount()).metered;
  jobId = await submit(key, { idempotency_key: 'first' });
  hostToken = await createHost();
  const host = hostOf(hostToken);
  await host.finish(await host.claimJob(jobId));
  await runDurableObjectAlarm(bindings.RENDER_JOB.getByName(jobId));
  clipId = await clipIdOf(jobId);
});

describe('what a request costs once its key is known', () => {
  it('the first request with a key asks D1 for it, once, and the first of an isolate for the controls', async () => {
    expect(await costOf('POST', '/api/clips', roundRequest())).toEqual({ d1: 2, objectCalls: 1, r2: 0 });
  });

  it('a submit is one call of one object', async () => {
    expect(await costOf('POST', '/api/clips', roundRequest())).toEqual({ d1: 0, objectCalls: 1, r2: 0 });
  });

  it('a replay is one call of one object', async () => {
    const replay = roundRequest({ idempotency_key: 'first' });
    expect(await costOf('POST', '/api/clips', replay)).toEqual({ d1: 0, objectCalls: 1, r2: 0 });
  });

  it('reading a job is one call of one object', async () => {
    expect(await costOf('GET', `/api/jobs/${jobId}`)).toEqual({ d1: 0, objectCalls: 1, r2: 0 });
  });

  it('reading a clip is one call of one object', async () => {
    expect(await costOf('GET', `/api/clips/${clipId}`)).toEqual({ d1: 0, objectCalls: 1, r2: 0 });
  });

  it.each(['/api/jobs', '/api/clips', '/api/assets', '/api/usage'])('%s is one statement', async (list) => {
    expect(await costOf('GET', list)).toEqual({ d1: 1, objectCalls: 0, r2: 0 });
  });

  it('an upload of an asset is one file and two statements, one before it and one after', async () => {
    expect(await costOf('POST', '/api/assets?kind=watermark', PICTURES.png)).toEqual({ d1: 2, objectCalls: 0, r2: 1 });
  });
});

describe('what the operator costs', () => {
  it('a page of hosts is two statements, a call of the dispatcher, and one of each job that they work on', async () => {
    const ask = () => costOf('GET', '/admin/hosts', undefined, ADMIN_TOKEN);
    expect(await ask()).toEqual({ d1: 2, objectCalls: 1, r2: 0 });
    const host = hostOf(hostToken);
    const grant = await host.claimJob(await submit(key));
    await host.heartbeat(grant);
    await expect.poll(ask).toEqual({ d1: 2, objectCalls: 2, r2: 0 });
    await host.report(grant, 'release');
  });
});

describe('what a host costs once its token is known', () => {
  const ask = (path: string, body: object) => costOf('POST', `/gateway/v1${path}`, body, hostToken);
  const capabilities = {
    renderer: 'radar',
    max_resolution: 1440,
    max_fps: 120,
    game_build: null,
    agent_version: 'test',
  };

  it('a claim that finds nothing is one call of the dispatcher', async () => {
    const poll = { capabilities: { ...capabilities, max_fps: 5 }, wait_s: 0 };
    expect(await ask('/claim', poll)).toEqual({ d1: 1, objectCalls: 1, r2: 0 });
    expect(await ask('/claim', poll)).toEqual({ d1: 0, objectCalls: 1, r2: 0 });
  });

  it('a heartbeat is one call of one object; an upload calls it before and after', async () => {
    const host = hostOf(hostToken);
    const grant = await host.claimJob(await submit(key));
    const { fence } = grant.lease;
    const job = `/jobs/${grant.job_id}`;
    const beat = { fence, phase: 'render', progress: 0.5 };
    expect(await ask(`${job}/heartbeat`, beat)).toEqual({ d1: 0, objectCalls: 1, r2: 0 });
    expect(await ask(`${job}/uploads`, { fence, file: 'video' })).toEqual({ d1: 0, objectCalls: 2, r2: 1 });
    expect(await ask(`${job}/release`, { fence })).toEqual({ d1: 0, objectCalls: 1, r2: 0 });
  });
});

describe('what a claim without work costs', () => {
  it.each([
    ['without a game asks the dispatcher', null, 0],
    ['with a game asks D1 for its build too', '2', 3],
  ])('of a host %s', async (_what, game_build, d1) => {
    const token = await createHost();
    const capabilities = { ...CAPABILITIES, max_fps: 5, game_build };
    const claim = () => costOf('POST', '/gateway/v1/claim', { capabilities, wait_s: 0 }, token);
    await claim();
    expect(await claim()).toEqual({ d1, objectCalls: 1, r2: 0 });
  });
});
