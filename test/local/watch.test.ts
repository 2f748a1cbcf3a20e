import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { createTickreelClient } from '../../client/tickreel-client.ts';
import { listenOnLoopback } from '../../local/listen.ts';

it('a client passes over the comments that keep an event stream alive', async () => {
  const notice = { status: 'done', progress: null, attempt: 1, error_code: null };
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/event-stream');
    response.end(`:\n\n:\n\ndata: ${JSON.stringify(notice)}\n\n`);
  });
  const port = await listenOnLoopback(server);
  const client = createTickreelClient({ baseUrl: `http://127.0.0.1:${port}`, token: 'a-key' });
  const seen = [];
  for await (const one of client.watch('00000000-0000-4000-8000-000000000000')) seen.push(one);
  server.close();
  expect(seen).toEqual([notice]);
});
