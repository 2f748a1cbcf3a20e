// node submit.mjs DEMO_URL STEAM64_ID [ROUND], with TICKREEL_URL and TICKREEL_API_KEY in the environment.
import { createTickreel, JobFailedError } from 'tickreel';

const [demo_url, steam64_id, round] = process.argv.slice(2);
const tickreel = createTickreel();
const request = { demo_url, steam64_id, ...(round ? { round: Number(round) } : {}) };

try {
  const clip = await tickreel.clips.render(request, {
    onProgress: ({ status, progress }) => console.error(status, progress ?? ''),
    timeoutMs: 60 * 60_000,
  });
  console.log(clip.title, tickreel.clips.urls(clip.id).page);
} catch (error) {
  if (!(error instanceof JobFailedError)) throw error;
  console.error(error.message, error.docsUrl);
  process.exitCode = 1;
}
