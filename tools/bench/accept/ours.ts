import { randomUUID } from 'node:crypto';
import { loadCredentials, loadSecrets } from '#stack/credentials.ts';
import { freePort, startService } from '#stack/service.ts';
import { post, type Subject } from './subject.ts';

/** No limit of an account or a host applies. */
const VARIABLES = Object.fromEntries(
  ['LIMIT_REQUESTS', 'LIMIT_SUBMITS', 'LIMIT_HOST_REQUESTS', 'LIMIT_JOBS'].map((name) => [name, '1000000']),
);

const REQUEST = { demo_url: 'https://demos.example.com/a.dem.gz', steam64_id: '76561198000000001', round: 3 };
/** Requests and capabilities that do not match, so that no host waits for these jobs. */
const UNHELD = { ...REQUEST, fps: 120, resolution: 1440 };
const CAPABILITIES = { renderer: 'radar', max_resolution: 1080, max_fps: 60, game_build: null, agent_version: 'bench' };

/** The whole service, like `npm run stack`. */
export const ours: Subject = {
  name: 'tickreel',
  async start(folder) {
    const port = await freePort(0);
    const secrets = await loadSecrets(folder);
    const service = await startService({
      fenceFloor: 0,
      port,
      dataDir: folder,
      timeScale: 1,
      secrets,
      variables: VARIABLES,
      onRuntime: () => {},
    });
    const { baseUrl } = service;
    const { metered_key: key, host_token: token } = await loadCredentials(folder, baseUrl, secrets);
    const fences = new Map<string, unknown>();
    const clips = `${baseUrl}/api/clips`;
    return {
      submit: () => post(clips, UNHELD, key),
      submitHeld: async () => String((await post(clips, REQUEST, key)).body.job_id),
      async hold() {
        const claim = { capabilities: CAPABILITIES, wait_s: 20, poll_id: randomUUID() };
        const { job_id, lease } = (await post(`${baseUrl}/gateway/v1/claim`, claim, token)).body;
        fences.set(String(job_id), (lease as { fence?: unknown } | undefined)?.fence);
        return String(job_id);
      },
      finish: (job) => {
        const report = { fence: fences.get(job), code: 'demo_404', detail: 'a benchmark' };
        return post(`${baseUrl}/gateway/v1/jobs/${job}/fail`, report, token);
      },
      stop: () => service.stop(),
    };
  },
};
