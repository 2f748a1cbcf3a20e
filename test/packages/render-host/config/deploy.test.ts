import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DEFAULT_DRAIN_S } from '#render-host/config/host-config.ts';
import { PROJECT_ROOT } from '#stack/migrate.ts';

/** Seconds to hand a job back after the drain time. */
const HAND_BACK_S = 30;
const DOCKER_STOP_S = 10;

const deployed = (name: string) => readFileSync(join(PROJECT_ROOT, 'tools/deploy/render-host', name), 'utf8');

function numberIn(file: string, pattern: RegExp): number {
  const found = pattern.exec(deployed(file))?.[1];
  if (found === undefined) throw new Error(`${file} has no ${pattern}`);
  return Number(found);
}

it('service managers wait until a host has drained and handed its job back', () => {
  const unit = numberIn('tickreel-render-host.service', /^TimeoutStopSec=(\d+)$/m);
  expect(deployed('tickreel-render-host.service')).not.toMatch(/^Environment=.*TICKREEL_DRAIN_S/m);
  expect(unit).toBeGreaterThanOrEqual(DEFAULT_DRAIN_S + HAND_BACK_S);
  const compose = numberIn('compose.yaml', /^ +stop_grace_period: (\d+)s$/m);
  expect(compose).toBeGreaterThanOrEqual(numberIn('compose.yaml', /^ +TICKREEL_DRAIN_S: (\d+)$/m) + HAND_BACK_S);
});

it('a container that is stopped without more ado hands its job back before it is killed', () => {
  expect(numberIn('Containerfile', /^ +TICKREEL_DRAIN_S=(\d+)$/m)).toBeLessThanOrEqual(DOCKER_STOP_S / 2);
});
