import { accessSync } from 'node:fs';
import { type Browser, type BrowserServer, chromium, type LaunchOptions } from 'playwright-core';

const PLACES = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Flags against requests to anything but the pages under test. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A name that is not loopback for browsers, so that pages there lack the features of secure contexts.
  '--host-resolver-rules=MAP plain.test 127.0.0.1',
];

/** Returns the path of a Chromium that plays H.264; null if there is none. Tries `CHROMIUM_PATH` first. */
export function findChromium(): string | null {
  return PLACES.find((path) => path !== undefined && path !== '' && exists(path)) ?? null;
}

export const launchChromium = (): Promise<Browser> => chromium.launch(options());

/** Starts a Chromium that other processes can connect to. */
export const serveChromium = (): Promise<BrowserServer> => chromium.launchServer(options());

function options(): LaunchOptions {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('there is no Chromium');
  return { executablePath, args: FLAGS };
}

function exists(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
}
