/** Capabilities of a host that can render anything. */
export const CAPABILITIES = {
  renderer: 'radar',
  max_resolution: 1440,
  max_fps: 120,
  game_build: null,
  agent_version: 'test',
} as const;
