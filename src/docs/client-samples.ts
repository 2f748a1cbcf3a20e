/** Samples for the client package and the command line. `BODY` is replaced by the JSON of the request. */
export interface ClientSample {
  readonly sdk: string;
  readonly cli: string;
}

const SUBMIT = `tickreel submit https://demos.example.com/match-1842.dem.gz \\
  --player 76561198000000001 --round 7 --fps 60 --hud-killfeed \\
  --key match-1842-round-7 --extras '{"match":1842}' \\
  --webhook-url https://app.example.com/hooks/tickreel \\
  --webhook-auth-header "Bearer my-own-secret"`;

/**
 * Samples by the name of the operation. Without a sample here, the page shows a call by name, and curl instead of the
 * command line. `test/packages/stack/samples.test.ts` runs them all.
 */
export const CLIENT_SAMPLES: Readonly<Record<string, ClientSample>> = {
  submitClip: { sdk: 'const { job_id, replayed } = await tickreel.clips.submit(BODY);', cli: SUBMIT },
  submitBatch: {
    sdk: 'const { clips, defaults } = BODY;\nconst { results } = await tickreel.clips.submitBatch(clips, defaults);',
    cli: 'tickreel submit-batch batch.json',
  },
  listClips: {
    sdk: `for await (const clip of tickreel.clips.list({ state: 'ready' })) {
  console.log(clip.title, tickreel.clips.urls(clip.id).page);
}`,
    cli: 'tickreel clips list --state ready',
  },
  getClip: { sdk: 'const clip = await tickreel.clips.get(id);', cli: 'tickreel clips show $ID' },
  saveClip: { sdk: 'await tickreel.clips.save(id);', cli: 'tickreel clips save $ID' },
  unsaveClip: { sdk: 'await tickreel.clips.unsave(id);', cli: 'tickreel clips unsave $ID' },
  deleteClip: { sdk: 'await tickreel.clips.delete(id);', cli: 'tickreel clips delete $ID' },
  getClipViews: { sdk: 'const { total } = await tickreel.clips.views(id);', cli: 'tickreel clips views $ID' },
  listJobs: {
    sdk: `for await (const job of tickreel.jobs.list({ status: 'error' })) {
  console.log(job.id, job.error_code);
}`,
    cli: 'tickreel jobs list --status error',
  },
  getJob: { sdk: 'const job = await tickreel.jobs.get(id);', cli: 'tickreel jobs show $ID' },
  watchJob: {
    sdk: `for await (const { status, progress } of tickreel.jobs.watch(id)) {
  console.log(status, progress);
}`,
    cli: 'tickreel jobs watch $ID',
  },
  cancelJob: { sdk: 'await tickreel.jobs.cancel(id);', cli: 'tickreel jobs cancel $ID' },
  resubmitJob: { sdk: 'await tickreel.jobs.resubmit(id);', cli: 'tickreel jobs resubmit $ID' },
  resendWebhook: {
    sdk: 'const { delivery_id } = await tickreel.jobs.resendWebhook(id);',
    cli: 'tickreel jobs resend-webhook $ID',
  },
  listDeliveries: {
    sdk: 'const { deliveries } = await tickreel.jobs.deliveries(id);',
    cli: 'tickreel jobs deliveries $ID',
  },
  uploadAsset: {
    sdk: `const image = new Blob([file], { type: 'image/png' });
const asset = await tickreel.assets.upload(image, { kind: 'watermark' });`,
    cli: 'tickreel assets upload logo.png --kind watermark',
  },
  listAssets: {
    sdk: `for await (const asset of tickreel.assets.list({ kind: 'watermark' })) {
  console.log(asset.id, asset.name);
}`,
    cli: 'tickreel assets list --kind watermark',
  },
  getAsset: { sdk: 'const asset = await tickreel.assets.get(id);', cli: 'tickreel assets show $ID' },
  deleteAsset: { sdk: 'await tickreel.assets.delete(id);', cli: 'tickreel assets delete $ID' },
  watchEvents: {
    sdk: `for await (const { id, job } of tickreel.events()) {
  console.log(id, job.status);
  break;
}`,
    cli: 'tickreel listen --forward http://localhost:8080/hook',
  },
  listWebhookSecrets: {
    sdk: 'const { secrets } = await tickreel.webhooks.secrets.list();',
    cli: 'tickreel webhooks secrets list',
  },
  createWebhookSecret: {
    sdk: 'const { secret } = await tickreel.webhooks.secrets.create();',
    cli: 'tickreel webhooks secrets create',
  },
  deleteWebhookSecret: {
    sdk: 'await tickreel.webhooks.secrets.delete(id);',
    cli: 'tickreel webhooks secrets delete $ID',
  },
  testWebhook: {
    sdk: 'const { http_status } = await tickreel.webhooks.test(BODY);',
    cli: 'tickreel webhooks test https://app.example.com/hooks/tickreel',
  },
  listOwnKeys: {
    sdk: `for await (const key of tickreel.keys.list()) {
  console.log(key.hint, key.scope, key.last_used);
}`,
    cli: 'tickreel keys list',
  },
  createOwnKey: {
    sdk: 'const { key } = await tickreel.keys.create(BODY);',
    cli: 'tickreel keys create metered --name "web server" --scope submit',
  },
  revokeOwnKey: { sdk: 'await tickreel.keys.revoke(id);', cli: 'tickreel keys revoke $ID' },
  planClip: {
    sdk: 'const { seconds, shots } = await tickreel.clips.plan(BODY);',
    cli: 'tickreel submit --dry-run https://demos.example.com/match-1842.dem.gz --player 76561198000000001 --round 7',
  },
  inspectDemo: {
    sdk: `const demo = await tickreel.demos.inspect('https://demos.example.com/match-1842.dem.gz');
console.log(demo.match.highlights);`,
    cli: 'tickreel demos inspect https://demos.example.com/match-1842.dem.gz',
  },
  getDemo: { sdk: 'const demo = await tickreel.demos.get(id);', cli: 'tickreel demos show $ID' },
  deleteDemo: { sdk: 'await tickreel.demos.delete(id);', cli: 'tickreel demos delete $ID' },
  createUpload: {
    sdk: `const content = new Blob([file]);
const { demo_url } = await tickreel.uploads.send({ name: 'match.dem.zst', content });`,
    cli: 'tickreel uploads add match.dem.zst',
  },
  listUploads: {
    sdk: `for await (const upload of tickreel.uploads.list()) {
  console.log(upload.name, upload.demo_url);
}`,
    cli: 'tickreel uploads list',
  },
  getUpload: { sdk: 'const upload = await tickreel.uploads.get(id);', cli: 'tickreel uploads show $ID' },
  deleteUpload: { sdk: 'await tickreel.uploads.delete(id);', cli: 'tickreel uploads delete $ID' },
  getViewing: { sdk: 'const { show_views } = await tickreel.viewing.get();', cli: 'tickreel viewing show' },
  changeViewing: {
    sdk: 'const { embed_sites } = await tickreel.viewing.change(BODY);',
    cli: 'tickreel viewing change --embed-sites example.com "*.example.com"',
  },
  getUsage: { sdk: 'const { usage } = await tickreel.usage();', cli: 'tickreel usage' },
};
