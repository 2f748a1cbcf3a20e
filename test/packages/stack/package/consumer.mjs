/**
 * What a program does with the package, the same wherever it runs. `tickreel` is the package, `baseUrl` a service.
 */
export async function tryOut(tickreel, baseUrl) {
  const client = tickreel.createTickreel({ baseUrl, apiKey: 'a-key' });
  const heard = [];
  const request = { demo_url: 'https://demos.example.com/a.dem', steam64_id: '1' };
  const clip = await client.clips.render(request, {
    onProgress: ({ status }) => heard.push(status),
    timeoutMs: 60_000,
  });
  const jobs = [];
  for await (const { id } of client.jobs.list()) jobs.push(id);
  const missing = await client.jobs.get('missing').catch((error) => error);
  const body = JSON.stringify({ event: 'job.failed', error_code: 'demo_404' });
  const forged = await client.webhooks.unwrap(body, {}, `whsec_${'A'.repeat(32)}`).catch((error) => error);
  const { event } = await client.webhooks.unwrap(new TextEncoder().encode(body), new Headers(), {
    insecure: true,
  });
  return {
    heard,
    clip: clip.id,
    jobs,
    missing: [missing instanceof tickreel.TickreelError, missing.code, missing.status, missing.requestId],
    forged: forged.code,
    event,
  };
}
