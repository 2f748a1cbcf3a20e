// node webhook-receiver.mjs, with PORT, and TICKREEL_WEBHOOK_SECRET, under which your webhooks are signed. With
// --insecure it takes unsigned ones from anybody.
import { createServer } from 'node:http';
import { createWebhooks, TickreelError } from 'tickreel';

const isInsecure = process.argv.includes('--insecure');
if (!isInsecure && !process.env.TICKREEL_WEBHOOK_SECRET) {
  console.error('Set TICKREEL_WEBHOOK_SECRET, or give --insecure.');
  process.exit(2);
}
const webhooks = createWebhooks(isInsecure ? { insecure: true } : undefined);
// A real receiver keeps them where a restart does not lose them.
const seen = new Set();

const server = createServer(async (request, response) => {
  try {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const webhook = await webhooks.unwrap(Buffer.concat(chunks), request.headers);
    // What is not answered within ten seconds comes again: answer first, and work then.
    response.writeHead(204).end();
    const id = webhooks.deliveryId(request.headers);
    if (seen.has(id)) return;
    seen.add(id);
    if (webhook.event === 'job.completed') console.log('clip', webhook.clip_id, webhook.video_url);
    else if (webhook.event === 'job.failed') console.log('failed', webhook.job_id, webhook.error_code);
    else console.log('no clip', webhook.upload_id, webhook.detail);
  } catch (error) {
    if (!(error instanceof TickreelError)) throw error;
    response.writeHead(400).end(error.message);
  }
});

server.listen(Number(process.env.PORT ?? 8080), () => console.log(`listening on ${server.address().port}`));
