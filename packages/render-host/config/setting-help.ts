/**
 * Describes each setting of a host briefly, for `--help`. docs/render-host.md and docs/gpu-host.md say more. A setting
 * without a description does not compile (./host-config.ts).
 */
export const SETTING_HELP = {
  TICKREEL_URL: 'address of the service',
  TICKREEL_HOST_TOKEN: "the host's token",
  TICKREEL_HOST_TOKEN_FILE: 'where `register` leaves the token, and the host finds it',
  TICKREEL_REGISTRATION_TOKEN: 'what `register` shows the service',
  TICKREEL_WORK_DIR: 'where jobs keep their files while they are worked on',
  TICKREEL_MAX_RESOLUTION: 'greatest height of a picture, 1080 or 1440',
  TICKREEL_MAX_FPS: 'most frames a second, 5 to 120',
  TICKREEL_MIN_FREE_MB: 'with less free space than this the host claims nothing',
  TICKREEL_KEEP_MB: 'most that demos take which are kept for another clip; 0 keeps none',
  TICKREEL_DRAIN_S: 'seconds that a stopping host may take to finish its clip',
  TICKREEL_SERVE: 'listens for jobs there instead of asking for them',
  TICKREEL_SERVE_ADDRESS: 'the address to listen on',
  TICKREEL_PUSH_SECRET: 'what grants are signed with; needed with TICKREEL_SERVE',
  TICKREEL_METRICS_PORT: 'serves /metrics and /healthz there',
  TICKREEL_METRICS_ADDRESS: 'the address to serve them on',
  TICKREEL_MAX_DEMO_MB: 'largest file that is downloaded',
  TICKREEL_DOWNLOAD_TIMEOUT_S: 'seconds for a download',
  TICKREEL_MIN_DOWNLOAD_KB_S: 'slowest download, over 20 seconds',
  TICKREEL_MAX_UNPACKED_MB: 'most that comes out of an archive',
  TICKREEL_UNPACK_TIMEOUT_S: 'seconds for unpacking',
  TICKREEL_PARSE_MEMORY_MB: "memory of the parser's process",
  TICKREEL_PARSE_TIMEOUT_S: 'seconds for parsing',
  TICKREEL_MAX_FRAME_MB: 'largest frame of a demo',
  TICKREEL_MAX_GAP_TICKS: 'most ticks that a recording jumps over',
  TICKREEL_MAX_MATCH_MB: 'most that is read from a demo, but where players were',
  TICKREEL_ENCODE_STALL_S: 'longest wait for the next frame',
  TICKREEL_MAX_CLIP_S: 'longest clip',
  TICKREEL_MAX_CLIP_FRAMES: 'most frames of a clip',
  TICKREEL_MAX_CLIP_MB: 'largest clip',
  LOG_LEVEL: 'trace, debug, info, warn, error or silent',
  FFMPEG_PATH: 'an ffmpeg to use',
  TICKREEL_RENDERER: 'radar or cs2',
  TICKREEL_RADAR_SOUND: 'on or off',
  TICKREEL_RADAR_DIR: 'pictures of maps, out of your own copy of the game',
  TICKREEL_OUTLINE_DIR: 'outlines of maps, which `maps import` writes',
  TICKREEL_REPLAY_OUTLINES: 'whether replays, which anybody can load, have the outlines: on or off',
  TICKREEL_CS2_DIR: "the game's folder; needed for cs2",
  TICKREEL_CS2_LAUNCHER: 'HLAE, on Linux the Steam Linux Runtime; needed for cs2',
  TICKREEL_CS2_HOOK: "HLAE's library for the game; needed for cs2 on Windows",
  TICKREEL_CS2_PLUGIN: 'the plugin for the game; needed for cs2 on Linux',
  TICKREEL_CS2_CONSOLE_PORT: "where the game's console listens",
  TICKREEL_CS2_GAME_STATE_PORT: 'port for the game’s reports of whom it shows',
  TICKREEL_CS2_ARGS: 'further arguments for the game',
  TICKREEL_CS2_FOOTAGE_CODEC: 'how ffmpeg encodes footage',
  TICKREEL_CS2_DEMO_PREDICT: 'cl_demo_predict: 0 or 2',
  TICKREEL_CS2_STRIP_DECALS: 'remove the message that games since July 2026 stop at: auto, always or never',
  TICKREEL_CS2_JOBS_PER_START: 'clips before the game is restarted',
} as const;

/** The settings as `--help` lists them. */
export function settingsHelp(): string {
  const names = Object.keys(SETTING_HELP);
  const width = Math.max(...names.map((name) => name.length));
  const lines = Object.entries(SETTING_HELP).map(([name, words]) => `  ${name.padEnd(width)}  ${words}`);
  return [
    '',
    'Settings, in the environment or in a file, one NAME=value a line (the environment wins):',
    ...lines,
  ].join('\n');
}
