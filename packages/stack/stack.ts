import { EARLY } from '#protocol/operate/controls.ts';
import { readVariables } from '#protocol/operate/variables.ts';
import { type Backups, startBackups } from './backups.ts';
import { type Credentials, loadCredentials, loadSecrets } from './credentials.ts';
import { openDataFolder, rewriteIndex, upgradeDataFolder } from './data-folder.ts';
import { lockData } from './data-lock.ts';
import { startRenderHosts } from './render-hosts.ts';
import { freePort, type LocalService, type LocalServiceOptions, PortInUse, startService } from './service.ts';

export interface StackOptions extends Omit<LocalServiceOptions, 'fenceFloor' | 'secrets' | 'backups' | 'onRuntime'> {
  /** The number of render hosts to run. */
  readonly hosts: number;
  /** The log level of the render hosts. */
  readonly logLevel: string;
  /** The folder of regular backups; without it there are none. */
  readonly backups?: string | undefined;
}

export interface Stack extends LocalService {
  readonly credentials: Credentials;
}

/**
 * Starts the service and its render hosts on this machine. A later start on the same folder continues with its state.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { dataDir, hosts, logLevel, variables = {} } = options;
  await openDataFolder(dataDir);
  const lock = await lockData(dataDir);
  const started: { stop(): Promise<void> }[] = [];
  const stop = async () => {
    for (const { stop: end } of started.toReversed()) await end();
    lock.release();
  };
  try {
    // The program on the port may use the folder, so nothing in it is changed before the port is free.
    const port = await freePort(options.port);
    lock.noteRuntimes();
    const fenceFloor = await upgradeDataFolder(dataDir);
    await rewriteIndex(dataDir);
    const secrets = loadSecrets(dataDir);
    const onRuntime = lock.noteRuntimes;
    const leaveMib = EARLY * readVariables(variables).values.DISK_RESERVE_MIB;
    let backups: Backups | null = null;
    const on = (free: number) =>
      startService({ ...options, port: free, fenceFloor, secrets, onRuntime, backups: () => backups?.state() ?? null });
    const service = await on(port).catch(async (error) => {
      // Another process took the port. If any port will do, another one is tried.
      if (options.port !== 0 || !(error instanceof PortInUse)) throw error;
      return on(await freePort(0));
    });
    started.push(service);
    const { baseUrl } = service;
    const isPublic = variables.ENVIRONMENT === 'production';
    const credentials = await loadCredentials(dataDir, baseUrl, secrets, isPublic);
    started.push(startRenderHosts({ count: hosts, baseUrl, hostToken: credentials.host_token, dataDir, logLevel }));
    if (options.backups !== undefined) {
      backups = await startBackups({ dataDir, to: options.backups, leaveMib });
      started.push(backups);
    }
    return { ...service, credentials, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
