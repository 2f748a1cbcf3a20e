/** Changes by day, the newest first. In CommonMark: `code` and **strong**. */
export const API_CHANGES: Readonly<Record<string, readonly string[]>> = {
  '2026-11-28': [
    'Test keys (`tr_test_…`): their jobs cost nothing and end as `https://demo.test/ok.dem` and others say.',
    'Keys of your own: `GET`, `POST /api/keys` and `DELETE /api/keys/:id`, with a key of scope `manage`. A key is revoked with the one that made it.',
    '`GET /api/usage?include=day` counts by day.',
    'Agents inspect demos, plan clips and render plans over the Model Context Protocol: `POST /mcp`, with the account\u2019s key and a budget of seconds a day.',
  ],
  '2026-11-22': [
    'The shots, seconds and price of a clip before it is made: `POST /api/plan` takes the body of a submit.',
    'Cancel a job: `POST /api/jobs/:id/cancel`, with the new error code `canceled`.',
    'Many submits at once: `POST /api/clips/batch`. A replay says `Idempotent-Replayed`, and `Idempotency-Body-Differs` where its body is another one.',
    'Why a job failed and where it is: `?include=diagnosis,attempts,progress,queue` of a job and its events; a page for each error code; `?include=urls,expiry` of clips.',
    '`fallback` of a submit: the radar makes the clip if no host can play the demo in the game. `upgrade`: the files are replaced when one can. `?include=renderer` of jobs, clips, their lists and usage.',
    'Signed webhooks (`/api/webhook-secrets`), `POST /api/webhooks/test`, and the changes of all jobs at `GET /api/events`.',
    'Look into a demo before a clip is paid for: `POST /api/demos`. Upload one: `POST /api/uploads`.',
    'How often a clip was watched: `GET /api/clips/:id/views`. Other clips of a match or a player on the page of one, where you want that: `show_more` of `PATCH /api/viewing`.',
    'Pages of any site may call the API with a key.',
    'A client package and a command line: `npm pack ./packages/client/dist` packs it, and the samples of this reference use it.',
    'This reference in pages, with a search; as Markdown at `/docs.md`; `/llms.txt`. An OpenAPI document of its own for render hosts, and one for operators.',
    'A deletion of a clip is seen by viewers within 22 seconds instead of at once.',
  ],
  '2026-11-21': [
    'Watermarks: `POST /api/assets`, and `watermark_image_id` of a submit.',
    'Lists of jobs and clips with filters and pages; seconds rendered at `GET /api/usage`.',
    'Events of a job: `GET /api/jobs/:id/events`; the log of its webhooks: `GET /api/jobs/:id/deliveries`.',
    'Every error is a problem (RFC 9457), whose `type` leads to an explanation.',
    'Pages of clips with previews, an embed with parameters, and `GET /oembed`.',
  ],
};
