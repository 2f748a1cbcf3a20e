import { join } from 'node:path';
import { Log, LogLevel, Miniflare } from 'miniflare';
import { RUNTIME } from '#stack/service.ts';
import { post, type Subject } from './subject.ts';

/** Returns a Worker whose new object writes one row and one alarm, and answers. `then` is its further code. */
const workerThat = (then: string) => `
  import { DurableObject } from 'cloudflare:workers';
  export class Row extends DurableObject {
    accept(id, body) {
      this.ctx.storage.sql.exec('CREATE TABLE job (body TEXT)');
      this.ctx.storage.sql.exec('INSERT INTO job (body) VALUES (?)', body);
      void this.ctx.storage.setAlarm(Date.now() + 3_600_000);
      ${then}
    }
    alarm() {}
  }
  export class Queue extends DurableObject {
    offer(id) {
      this.ctx.storage.sql.exec('CREATE TABLE IF NOT EXISTS queue (id TEXT)');
      this.ctx.storage.sql.exec('INSERT INTO queue (id) VALUES (?)', id);
    }
  }
  export default {
    async fetch(request, env) {
      const id = crypto.randomUUID();
      await env.ROW.getByName(id).accept(id, await request.text());
      return Response.json({ id }, { status: 201 });
    },
  };`;

function bare(name: string, then: string): Subject {
  return {
    name,
    async start(folder) {
      const miniflare = new Miniflare({
        log: new Log(LogLevel.WARN),
        cf: false,
        modules: [{ type: 'ESModule', path: 'worker.mjs', contents: workerThat(then) }],
        compatibilityDate: RUNTIME.compatibilityDate,
        durableObjects: {
          ROW: { className: 'Row', useSQLite: true },
          QUEUE: { className: 'Queue', useSQLite: true },
        },
        durableObjectsPersist: join(folder, 'objects'),
        d1Databases: ['DB'],
        d1Persist: join(folder, 'd1'),
      });
      const url = String(await miniflare.ready);
      const db = await miniflare.getD1Database('DB');
      await db.exec('CREATE TABLE jobs (id TEXT PRIMARY KEY, body TEXT)');
      return {
        submit: () => post(url, { demo_url: 'https://demos.example.com/a.dem.gz', round: 3 }),
        stop: () => miniflare.dispose(),
      };
    },
  };
}

/** The least that the platform needs to accept a job. */
export const floor = bare('floor', '');

/** The same with a queue and a list: one row in a queue's object, one in D1. */
export const floorQueued = bare(
  'floor, queued',
  `void this.env.QUEUE.getByName('queue').offer(id);
      void this.env.DB.prepare('INSERT INTO jobs (id, body) VALUES (?, ?)').bind(id, body).run();`,
);
