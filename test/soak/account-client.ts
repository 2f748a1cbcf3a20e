import { parentPort, workerData } from 'node:worker_threads';

/** The client of `account-cli.ts`: reads and submits, until it gets a message. Posts its 95th percentile and refusals. */
const { url, key } = workerData as { url: string; key: string };
const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
const body = JSON.stringify({ demo_url: `${url}/match.dem`, steam64_id: '76561198000000001' });
const times: number[] = [];
const refused: number[] = [];
let goesOn = true;
parentPort?.once('message', () => {
  goesOn = false;
});
for (let i = 0; goesOn; i++) {
  const begun = performance.now();
  const submit = { method: 'POST', headers, body };
  const response = await (i % 2 ? fetch(`${url}/api/clips`, submit) : fetch(`${url}/api/jobs`, { headers }));
  await response.arrayBuffer();
  times.push(performance.now() - begun);
  if (response.status >= 400) refused.push(response.status);
  await new Promise((resolve) => setTimeout(resolve, 50));
}
times.sort((a, b) => a - b);
parentPort?.postMessage({ p95: times[Math.floor(times.length * 0.95)], refused });
