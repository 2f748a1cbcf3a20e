import { stillOfSample, WHAT_A_CLIP_SHOWS } from '../page/first-words.ts';
import { type Html, html } from '../page/html.ts';
import { codeBlock } from './words.ts';

/** A command that prints the webhooks that come to a port of this machine. */
export const RECEIVER =
  'node -e \'require("http").createServer((q, s) => { q.pipe(process.stdout); s.end(); }).listen(9000)\'';

/** Returns the code from a key to a clip. */
export function quickstartTexts(baseUrl: string): Record<'curl' | 'TypeScript' | 'Command line', string> {
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
    TypeScript: `import { createTickreel } from 'tickreel';

const tickreel = createTickreel({ baseUrl: '${baseUrl}', apiKey: key });
const clip = await tickreel.clips.render(
  { demo_url: 'https://demos.example.com/match.dem.gz', steam64_id: '76561198000000001', round: 7 },
  { onProgress: ({ status, progress }) => console.log(status, progress) },
);
console.log(clip.title, tickreel.clips.urls(clip.id).page);`,
    'Command line': `export TICKREEL_URL=${baseUrl} TICKREEL_API_KEY=$KEY

tickreel submit https://demos.example.com/match.dem.gz --player 76561198000000001 --round 7 --watch`,
  };
}

/** Returns the first section of the guide. */
export function quickstart(baseUrl: string): Html {
  const samples = Object.entries(quickstartTexts(baseUrl));
  return html`${stillOfSample()}
<p>${WHAT_A_CLIP_SHOWS} <code>GET /api/clips/:id?include=renderer</code> says which made it: <code>radar</code> or <code>cs2</code>.</p>
<ol>
<li><strong>Get a key.</strong> The operator of this service gives your account one: <code>npm run tickreel -- admin keys create ACCOUNT metered</code> in a checkout makes it and shows it once. On your own machine, <code>npm run stack</code> prints one as <code>metered_key</code>, and the address of a sample demo as <code>sample_demo_url</code>. Put the key into <code>KEY</code>. It is a secret: keep it out of pages and repositories.</li>
<li><strong>Submit a job.</strong> Say where the demo is and whose kills of which round you want. You get a <code>job_id</code> at once: put it into <code>JOB_ID</code>.</li>
<li><strong>Wait for it.</strong> Follow its events, ask for it now and then, or give a <code>webhook_url</code>.</li>
<li><strong>Show the clip.</strong> A job that is <code>done</code> has a <code>clip_id</code>: its page is <code>${baseUrl}/clips/&lt;clip_id&gt;</code>, the player for an iframe <code>…/embed</code>, the file <code>…/video.mp4</code>.</li>
</ol>
${samples.map(([name, code]) => html`<h3>${name}</h3>${codeBlock(code)}`)}
<p>The samples in TypeScript and for the command line use the client package: in a checkout of Tickreel, <code>npm run build -w tickreel</code> and <code>npm pack ./packages/client/dist</code> make a file for <code>npm install</code>. There is one for Python too, in <code>packages/python</code>.</p>`;
}
