import type { TestProject } from 'vitest/node';
import { findChromium, serveChromium } from './browser.ts';
import { type Stage, startStage } from './stage.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Null without a Chromium: then all tests are skipped. */
    stage: Stage | null;
    /** The address of the one Chromium that all files share. */
    chromium: string;
  }
}

/** Runs the service and a Chromium once for all browser tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (findChromium() === null) {
    if (process.env.CI)
      throw new Error('There is no Chromium for the browser tests. Install it, or set CHROMIUM_PATH.');
    process.stderr.write('The browser tests are skipped: there is no Chromium. Install it, or set CHROMIUM_PATH.\n');
    project.provide('stage', null);
    return async () => {};
  }
  const [chromium, { stage, stop }] = await Promise.all([serveChromium(), startStage()]);
  project.provide('stage', stage);
  project.provide('chromium', chromium.wsEndpoint());
  return async () => {
    await chromium.close();
    await stop();
  };
}
