import { join } from 'node:path';
import { Log, LogLevel, Miniflare } from 'miniflare';
import { RUNTIME } from '../../local/service.ts';
import { post, type Subject } from './subject.ts';

/** The least that the platform can accept a job with: a new object writes one row and one alarm, and answers. */
const WORKER = `
  import { DurableObject } from 'cloudflare:workers';
  export class Row extends DurableObject {
    accept(body) {
      this.ctx.storage.sql.exec('CREATE TABLE job (body TEXT)');
      this.ctx.storage.sql.exec('INSERT INTO job (body) VALUES (?)', body);
      void this.ctx.storage.setAlarm(Date.now() + 3_600_000);
    }
    alarm() {}
  }
  export default {
    async fetch(request, env) {
      const id = crypto.randomUUID();
      await env.ROW.getByName(id).accept(await request.text());
      return Response.json({ id }, { status: 201 });
    },
  };`;

export const floor: Subject = {
  name: 'floor',
  async start(folder) {
    const miniflare = new Miniflare({
      log: new Log(LogLevel.WARN),
      cf: false,
      modules: [{ type: 'ESModule', path: 'worker.mjs', contents: WORKER }],
      compatibilityDate: RUNTIME.compatibilityDate,
      durableObjects: { ROW: { className: 'Row', useSQLite: true } },
      durableObjectsPersist: join(folder, 'objects'),
    });
    const url = String(await miniflare.ready);
    return {
      submit: () => post(url, { demo_url: 'https://demos.example.com/a.dem.gz', round: 3 }),
      stop: () => miniflare.dispose(),
    };
  },
};
