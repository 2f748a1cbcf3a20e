import { fault, type MachineFault, output } from './machine-faults.ts';

/** The checks, in order. */
export const WINDOWS_CHECKS = ['desktop session', 'GPU', 'Steam'] as const;

type Look = (environment: NodeJS.ProcessEnv) => Promise<Omit<MachineFault, 'check'> | null>;

const CHECKS: Record<(typeof WINDOWS_CHECKS)[number], Look> = {
  'desktop session': async (environment) => {
    const session = environment.SESSIONNAME ?? '';
    if (/^console$/i.test(session)) return null;
    const remedy = 'start the host by a scheduled task at logon, in the session at the screen; see docs/gpu-host.md';
    if (session === '') return fault('this is no desktop session: nothing can be drawn', remedy);
    return { ...fault(`the session is ${session}, which has no GPU once it is left`, remedy), isDoubt: true };
  },
  GPU: async (environment) => {
    const text = await ask('(Get-CimInstance Win32_VideoController).Name', environment);
    if (text === null) return fault('the graphics cards cannot be listed', 'see whether powershell runs');
    const cards = text.split(/\r?\n/).filter((name) => name.trim() !== '' && !IS_NO_CARD.test(name));
    return cards.length > 0 ? null : fault('there is no graphics card, or it has no driver', 'install its driver');
  },
  Steam: async (environment) => {
    const text = await output('tasklist', ['/fi', 'imagename eq steam.exe', '/nh'], environment);
    if (text?.toLowerCase().includes('steam.exe')) return null;
    return fault('Steam does not run', 'have it start at logon, signed in; see docs/gpu-host.md');
  },
};

function ask(query: string, environment: NodeJS.ProcessEnv): Promise<string | null> {
  return output('powershell', ['-NoProfile', '-NonInteractive', '-Command', query], environment);
}

/**
 * Whether a firewall rule blocks a TCP port for others. Reads the rules, because no rule blocks this machine from its
 * own ports (Microsoft's KB 2771908).
 */
export async function isBlocked(port: number, environment: NodeJS.ProcessEnv): Promise<boolean> {
  const rules = 'Get-NetFirewallRule -Enabled True -Direction Inbound -Action Block -ErrorAction SilentlyContinue';
  const ofPort = `Where-Object { $_.Protocol -in 'TCP', 'Any' -and $_.LocalPort -contains '${port}' }`;
  return Number(await ask(`@(${rules} | Get-NetFirewallPortFilter | ${ofPort}).Count`, environment)) > 0;
}

/** The display adapters that Windows uses without a graphics card. */
const IS_NO_CARD = /Microsoft (Basic|Remote|Hyper-V)|RDP/i;

/** Returns what a Windows machine lacks to run the game. */
export async function findWindowsFaults(environment: NodeJS.ProcessEnv): Promise<MachineFault[]> {
  const faults = await Promise.all(
    WINDOWS_CHECKS.map(async (check) => {
      const found = await CHECKS[check](environment);
      return found === null ? [] : [{ check, ...found }];
    }),
  );
  return faults.flat();
}
