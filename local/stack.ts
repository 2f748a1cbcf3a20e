import { mkdir } from 'node:fs/promises';
import { type Credentials, loadAdminToken, loadCredentials } from './credentials.ts';
import { lockData } from './data-lock.ts';
import { startRenderHosts } from './render-hosts.ts';
import { startService } from './service.ts';

export interface StackOptions {
  readonly port: number;
  readonly dataDir: string;
  /** Render hosts to run beside the service. */
  readonly hosts: number;
  readonly timeScale: number;
  /** Of the render hosts. */
  readonly logLevel: string;
}

export interface Stack {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  stop(): Promise<void>;
}

/** Starts the service and its render hosts on this machine. Started on the same folder again, it goes on where it was. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { port, dataDir, hosts, timeScale, logLevel } = options;
  await mkdir(dataDir, { recursive: true });
  const lock = await lockData(dataDir);
  const adminToken = await loadAdminToken(dataDir);
  const service = await startService({ port, dataDir, timeScale, adminToken });
  const stopService = async () => {
    await service.stop();
    lock.release();
  };
  try {
    await lock.noteRuntimes();
    const credentials = await loadCredentials(dataDir, service.baseUrl, adminToken);
    const hostToken = credentials.host_token;
    const renderHosts = startRenderHosts({ count: hosts, baseUrl: service.baseUrl, hostToken, dataDir, logLevel });
    return {
      baseUrl: service.baseUrl,
      credentials,
      stop: async () => {
        await renderHosts.stop();
        await stopService();
      },
    };
  } catch (error) {
    await stopService();
    throw error;
  }
}
