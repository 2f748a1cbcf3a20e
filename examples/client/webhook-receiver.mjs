// node webhook-receiver.mjs, with PORT, and TICKREEL_WEBHOOK_SECRET where your webhooks are signed.
import { createServer } from 'node:http';
import { createWebhooks, TickreelError } from 'tickreel';

const webhooks = createWebhooks();
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
    else console.log('failed', webhook.job_id, webhook.error_code);
  } catch (error) {
    if (!(error instanceof TickreelError)) throw error;
    response.writeHead(400).end(error.message);
  }
});

server.listen(Number(process.env.PORT ?? 8080), () => console.log(`listening on ${server.address().port}`));
