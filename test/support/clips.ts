import { clipIdOf, jobIdOf } from './clip-ids.ts';
import { hostOf } from './host.ts';
import { createAccount, createHost, sendJson, submit } from './service.ts';
import type { Made } from './test-host.ts';

/** Makes clips of one account, with a test host. */
export async function createClipMaker() {
  const { metered: key } = await createAccount();
  const host = hostOf(await createHost());
  const render = async (jobId: string, made: Made = {}) => {
    await host.finish(await host.claimJob(jobId), made);
  };
  return {
    key,
    host,
    /** Renders a new job and returns the id of its clip. */
    async make(made: Made & { fps?: number; resolution?: number; demo_url?: string } = {}): Promise<string> {
      const { fps, resolution, demo_url } = made;
      const asked = Object.entries({ fps, resolution, demo_url }).filter(([, value]) => value !== undefined);
      const jobId = await submit(key, Object.fromEntries(asked));
      await render(jobId, made);
      return clipIdOf(jobId);
    },
    /** Runs the job of a clip again, with another result. */
    async remake(clipId: string, made: Made): Promise<void> {
      const jobId = await jobIdOf(clipId);
      await sendJson(key, 'POST', `/api/jobs/${jobId}/resubmit`);
      await render(jobId, made);
    },
    remove: (clipId: string) => sendJson(key, 'DELETE', `/api/clips/${clipId}`),
  };
}
