// node discord-bot.mjs, with PORT, TICKREEL_URL, TICKREEL_API_KEY, TICKREEL_WEBHOOK_SECRET, and DISCORD_WEBHOOK_URL of
// the channel (its settings, Integrations, Webhooks). It posts each outcome that Tickreel reports into the channel.
import { createServer } from 'node:http';
import { createTickreel } from 'tickreel';

for (const name of ['TICKREEL_WEBHOOK_SECRET', 'DISCORD_WEBHOOK_URL']) {
  if (process.env[name]) continue;
  console.error(`Set ${name}.`);
  process.exit(2);
}
// A webhook has to be answered within ten seconds, in which the bot makes two calls.
const TIMEOUT_MS = 4000;
const tickreel = createTickreel({ timeoutMs: TIMEOUT_MS, maxRetries: 0 });
// Discord then answers once the message is saved, or says why it is not
// (https://discord.com/developers/docs/resources/webhook#execute-webhook).
const channel = new URL(process.env.DISCORD_WEBHOOK_URL);
channel.searchParams.set('wait', 'true');
// A real bot keeps them where a restart does not lose them.
const posted = new Set();

/**
 * Returns a message within Discord's limits: 2000 characters of content, 256 of a title, 4096 of a description
 * (https://discord.com/developers/docs/resources/message#embed-object-embed-limits).
 */
async function messageOf(webhook) {
  if (webhook.event === 'job.completed') {
    const { title, urls } = await tickreel.clips.get(webhook.clip_id, { include: ['urls'] });
    // Discord shows the player of a page that a message links. An embed of a webhook cannot have a video. The title has
    // names of players: as code, they are neither links nor formatted.
    return { content: `\`${title.replaceAll('`', "'").slice(0, 256)}\` ${urls.page}` };
  }
  const { diagnosis } = await tickreel.jobs.get(webhook.job_id, { include: ['diagnosis'] });
  const title = `No clip: ${webhook.error_code}`.slice(0, 256);
  return { embeds: [{ title, description: diagnosis?.summary.slice(0, 4096) }] };
}

async function post(message) {
  const { ok, status } = await fetch(channel, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    // Nobody is notified because of the name of a player.
    body: JSON.stringify({ ...message, allowed_mentions: { parse: [] } }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!ok) throw new Error(`Discord answered ${status}.`);
}

const server = createServer(async (request, response) => {
  try {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const webhook = await tickreel.webhooks.unwrap(Buffer.concat(chunks), request.headers);
    const id = tickreel.webhooks.deliveryId(request.headers);
    if (!posted.has(id)) await post(await messageOf(webhook));
    posted.add(id);
    response.writeHead(204).end();
  } catch (error) {
    console.error(error.message);
    // `tickreel webhooks test` sends an outcome of a job that does not exist. Other errors: Tickreel sends the webhook
    // again later, up to ten times.
    response.writeHead({ not_found: 204, webhook_invalid: 400 }[error.code] ?? 503).end();
  }
});

server.listen(Number(process.env.PORT ?? 8080), () => console.log(`listening on ${server.address().port}`));
