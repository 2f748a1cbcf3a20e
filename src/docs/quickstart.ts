import { stillOfSample, WHAT_A_CLIP_SHOWS } from '../pages/first-words.ts';
import { type Html, html } from '../pages/html.ts';
import type { Language } from './call-text.ts';
import { samples } from './code-sample.ts';

/** A command that prints the webhooks that come to a port of this machine. */
export const RECEIVER =
  'node -e \'require("http").createServer((q, s) => { q.pipe(process.stdout); s.end(); }).listen(9000)\'';

/** Returns the code from a key to a clip in each language. */
export function quickstartTexts(baseUrl: string): Record<Language, string> {
  return {
    curl: `curl -X POST "${baseUrl}/api/clips" \\
  -H "Authorization: Bearer $KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
  "demo_url": "https://demos.example.com/match.dem.gz",
  "steam64_id": "76561198000000001",
  "round": 7
}'

curl -N "${baseUrl}/api/jobs/$JOB_ID/events" -H "Authorization: Bearer $KEY"

curl "${baseUrl}/api/jobs/$JOB_ID" -H "Authorization: Bearer $KEY"`,
    ts: `import { createTickreel } from 'tickreel';

const tickreel = createTickreel({ baseUrl: '${baseUrl}', apiKey: key });
const clip = await tickreel.clips.render(
  { demo_url: 'https://demos.example.com/match.dem.gz', steam64_id: '76561198000000001', round: 7 },
  { onProgress: ({ status, progress }) => console.log(status, progress) },
);
console.log(clip.title, tickreel.clips.urls(clip.id).page);`,
    py: `import json, time, urllib.request

def call(method, path, body=None):
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request("${baseUrl}" + path, data, headers, method=method)
    return json.load(urllib.request.urlopen(request))

job_id = call("POST", "/api/clips", {
    "demo_url": "https://demos.example.com/match.dem.gz",
    "steam64_id": "76561198000000001",
    "round": 7,
})["job_id"]

while (job := call("GET", f"/api/jobs/{job_id}"))["status"] not in ("done", "error"):
    time.sleep(5)
print(job["error_code"] or f"${baseUrl}/clips/{job['clip_id']}")`,
    cli: `export TICKREEL_URL=${baseUrl} TICKREEL_API_KEY=$KEY

tickreel submit https://demos.example.com/match.dem.gz --player 76561198000000001 --round 7 --watch`,
  };
}

/** Returns the first section of the guide. */
export function quickstart(baseUrl: string): Html {
  return html`<div class="split"><div>
<p>${WHAT_A_CLIP_SHOWS} <code>GET /api/clips/:id?include=renderer</code> says which made it: <code>radar</code> or <code>cs2</code>.</p>
<ol>
<li><strong>Get a key.</strong> The operator of this service gives your account one: <code>npm run tickreel -- admin keys create ACCOUNT metered</code> in a checkout makes it and shows it once. On your own machine, <code>npm run stack</code> prints one as <code>metered_key</code>, and the address of a sample demo as <code>sample_demo_url</code>. Put the key into <code>KEY</code>. It is a secret: keep it out of pages and repositories.</li>
<li><strong>Submit a job.</strong> Say where the demo is and whose kills of which round you want. You get a <code>job_id</code> at once: put it into <code>JOB_ID</code>.</li>
<li><strong>Wait for it.</strong> Follow its events, ask for it now and then, or give a <code>webhook_url</code>.</li>
<li><strong>Show the clip.</strong> A job that is <code>done</code> has a <code>clip_id</code>: its page is <code>${baseUrl}/clips/&lt;clip_id&gt;</code>, the player for an iframe <code>…/embed</code>, the file <code>…/video.mp4</code>.</li>
</ol>
<p>The samples in TypeScript and for the CLI use the client package: in a checkout of Tickreel, <code>npm run build:client</code> and <code>npm pack ./packages/client/dist</code> make a file for <code>npm install</code>. <code>tickreel</code> is created as here. Python samples begin with <code>import json, urllib.request</code>. <code>key</code> and <code>id</code> are yours.</p>
</div><div class="show">${stillOfSample()}${samples(quickstartTexts(baseUrl))}</div></div>`;
}
