import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { freePort } from '#stack/service.ts';
import { startCloudflareApi } from './cloudflare-api.ts';

/**
 * Starts the stand-in of Cloudflare's API for wrangler and our own programs, with a new folder for the files of a
 * deployment. `url` is where the first Worker listens. `end` stops it and removes the folder.
 */
export async function openCloudflare() {
  const folder = await mkdtemp(join(tmpdir(), 'tickreel-cloudflare-'));
  const port = await freePort(0);
  const api = await startCloudflareApi(join(folder, 'cloud'), port);
  for (const [name, value] of Object.entries(api.environment)) vi.stubEnv(name, value);
  return {
    folder,
    api,
    url: `http://127.0.0.1:${port}`,
    async end() {
      vi.unstubAllEnvs();
      await api.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
