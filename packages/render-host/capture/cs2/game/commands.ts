import type { CaptureOptions } from '#scene/frames/clip-clock.ts';

export type PictureOptions = Pick<CaptureOptions, 'xray' | 'onlyDeathnotices' | 'ownKillfeed' | 'hidesNames'>;

/** When a command is sent: once a start, once a demo, before each seek, for each take, after it. */
export type CommandTime = 'start' | 'demo' | 'seek' | 'take' | 'after';

/** A command or setting that is sent to the game or to HLAE: why, and who showed that it works. */
export interface CommandRow {
  /** Angle brackets stand for a variable part. A test compares each line that is sent with these forms. */
  readonly form: string;
  readonly when: CommandTime;
  readonly reason: string;
  readonly source: string;
  /** The program that understands it. */
  readonly by: 'both' | 'HLAE' | 'plugin';
}

const CSDM = 'cs-demo-manager `create-cs2-video-json-file.ts`';
const CSDM_PLUGIN = 'cs-demo-manager `cs2-server-plugin/main.cpp`';
const CSDM_ACTIONS = 'cs-demo-manager `json-actions-file-generator.ts`';
const STREAMER = '5stack game-streamer `run-demo.sh`';
const STREAMER_PERF = '5stack game-streamer `cs2-perf.sh`';
const HLAE_MAIN = 'advancedfx `AfxHookSource2/main.cpp`';
const HLAE_COMMANDS = 'advancedfx `shared/CommandSystem.cpp`';
const HUDS = 'HUD managers set it with a killfeed of their own';
const SPEC_LOCK = 'advancedfx issue 1172, its snippet `mirv_script_spec_lock.js`';
const NETCON = 'CS2Prak-HighlightMaker `netcon.py`; Source 1 `netconsole.cpp`; words in CS2’s `engine2.dll`';
const OVERHEAD = 'movie makers set it beside `cl_draw_only_deathnotices`';
const ACCOUNT = 'the game’s settings page lists it';

function row(form: string, when: CommandTime, reason: string, source: string, by = ownerOf(form)): CommandRow {
  return { form, when, reason, source, by };
}

/** The prefixes of HLAE's own commands. */
function ownerOf(form: string): CommandRow['by'] {
  return form.startsWith('mirv_') ? 'HLAE' : 'both';
}

/** All commands. The settings of `start` are sent in this order. */
export const COMMANDS: readonly CommandRow[] = [
  row(
    'echo <words>',
    'start',
    'the console answers, and tells where playback is',
    'Source’s own; peers mark their progress by it',
  ),
  row('PASS <password>', 'start', 'said where the console asks for it', NETCON, 'HLAE'),
  row('mirv_cvar_unhide_all', 'start', 'hidden settings are ignored without it', HLAE_MAIN),
  row('sv_cheats 1', 'start', 'recording and camera commands are cheats', CSDM),
  row('demo_ui_mode 0', 'start', 'no playback bar; has to be off before playback', CSDM_PLUGIN),
  row('demo_quitafterplayback 0', 'start', 'the game stays for the next clip', STREAMER),
  row('engine_no_focus_sleep 0', 'start', 'a window without focus runs at full speed', STREAMER),
  row('snd_mute_losefocus 0', 'start', 'a window without focus is heard', STREAMER),
  row('volume 1', 'start', 'one loudness for all hosts', CSDM),
  row('snd_musicvolume 0', 'start', 'no music: its owners claim clips', ACCOUNT),
  row('snd_menumusic_volume 0', 'start', 'no music of the menu', ACCOUNT),
  row('snd_roundstart_volume 0', 'start', 'no music at the start of a round', ACCOUNT),
  row('snd_roundaction_volume 0', 'start', 'no music in a round', ACCOUNT),
  row('snd_roundend_volume 0', 'start', 'no music at the end of a round', ACCOUNT),
  row('snd_mvp_volume 0', 'start', 'no anthem of the best player', ACCOUNT),
  row('snd_mapobjective_volume 0', 'start', 'no music of the bomb', ACCOUNT),
  row('snd_tensecondwarning_volume 0', 'start', 'no music in the last seconds', ACCOUNT),
  row('snd_deathcamera_volume 0', 'start', 'no music of the death camera', ACCOUNT),
  row('tv_listen_voice_indices 0', 'start', 'players’ voices are personal data', CSDM),
  row('tv_listen_voice_indices_h 0', 'start', 'the same for the upper slots', CSDM),
  row('voice_modenable 0', 'start', 'no voices by another way', 'the game’s settings page lists it'),
  row('cl_hud_telemetry_frametime_show 0', 'start', 'no frame times in the picture', CSDM),
  row('cl_hud_telemetry_ping_show 0', 'start', 'no ping in the picture', CSDM),
  row('cl_hud_telemetry_net_misdelivery_show 0', 'start', 'no network trouble in the picture', CSDM),
  row('cl_hud_telemetry_serverrecvmargin_graph_show 0', 'start', 'no network graph in the picture', CSDM),
  row('cl_trueview_show_status 0', 'start', 'no line about prediction in the picture', CSDM),
  row('r_show_build_info 0', 'start', 'no build number in the picture', CSDM),
  row('cl_showfps 0', 'start', 'no frame rate in the picture', `${STREAMER}, debug overlay`),
  row('cl_disablefreezecam 1', 'start', 'a death shows no still of the killer', STREAMER_PERF),
  row('cl_demo_predict <0 or 2>', 'start', 'recorded, not predicted movement: 1 jitters', STREAMER),
  row(
    'spec_autodirector 0',
    'start',
    'the director must not take the camera',
    '5stack `clip-render-pipeline.md` step 1b',
  ),
  row(
    'cl_show_observer_crosshair 2',
    'start',
    'the crosshair of the watched player, not of the account',
    `${STREAMER}, which sets it to 0`,
  ),
  row('mirv_deathmsg lifetime 5', 'start', 'death notices stay as long on all hosts', CSDM),
  row('mirv_script_load "<file>"', 'start', 'holds the camera, every frame', SPEC_LOCK),
  row('mirv_streams record screen enabled 1', 'start', 'record what the screen shows', CSDM),
  row('mirv_streams record startMovieWav 1', 'start', 'record the sound', CSDM),
  row('playdemo "<file>"', 'demo', 'play the demo', CSDM_PLUGIN, 'HLAE'),
  row('mirv_cmd clear', 'seek', 'what is scheduled stays until it is cleared', HLAE_COMMANDS),
  row('mirv_script_spec_lock 0', 'seek', 'a camera that is held must be let go before a seek', SPEC_LOCK),
  row('spec_show_xray 0', 'seek', 'outlines during a seek crashed the game', 'advancedfx issue 1199'),
  row('demo_gototick <tick> 0 0', 'seek', 'seek; the last word asks to go on', '5stack `routes/demo.mjs`'),
  row('demo_resume', 'seek', 'a seek may land paused, whatever was asked', '5stack `routes/demo.mjs`'),
  row('demo_pause', 'seek', 'hides the loading tint: two seconds in a peer', CSDM_PLUGIN, 'HLAE'),
  row('mirv_cmd addAtTick <tick> "<commands>"', 'take', 'runs at the first frame past a tick', HLAE_COMMANDS),
  row('host_framerate <frames a second>', 'take', 'each frame is one step of time, however slow', CSDM),
  row('spec_show_xray <0 or 1>', 'take', 'the clip’s option', CSDM),
  row('cl_draw_only_deathnotices <0 or 1>', 'take', 'the clip’s option', CSDM),
  row('cl_drawhud_force_deathnotices <0 or -1>', 'take', 'our own killfeed takes the place of the game’s', HUDS),
  row('cl_drawhud_force_teamid_overhead <0 or -1>', 'take', 'hides names over players', OVERHEAD),
  row('hud_showtargetid <0 or 1>', 'take', 'hides the name at the crosshair', OVERHEAD),
  row('tv_nochat <0 or 1>', 'take', 'hides names in the chat', 'advancedfx `AfxHookSource2_changelog.xml`'),
  row('mirv_deathmsg clear', 'take', 'a seek leaves death notices behind', CSDM),
  row('mirv_deathmsg filter clear', 'take', 'the filter of the shot before', CSDM),
  row(
    'mirv_deathmsg filter add attackerMatch=x<steam id> attackerIsLocal=1',
    'take',
    'marks this player’s kills',
    CSDM,
  ),
  row('cl_interp_ratio 1', 'take', 'with 0, as the game starts, players move in steps', 'advancedfx issue 1202'),
  row('mirv_streams record fps <frames a second>', 'take', 'the film’s frame rate', CSDM),
  row('mirv_streams record name "<folder>"', 'take', 'where the take lies', CSDM),
  row('mirv_streams settings add ffmpeg <name> "<options>"', 'take', 'frames go straight into an encoder', CSDM),
  row('mirv_streams record screen settings <name>', 'take', 'with those options', CSDM),
  row('spec_mode 1', 'take', 'first person; some demos start in free flight', CSDM),
  row('mirv_script_spec_lock <slot + 1>', 'take', 'whom to show: entity index of the player', SPEC_LOCK),
  row('mirv_streams record start', 'take', 'begin to record', CSDM),
  row('mirv_streams record end', 'take', 'stop recording', CSDM),
  row('host_framerate 0', 'after', 'real time again', '5stack `clip-render-pipeline.md`, fixed timestep', 'HLAE'),
  row('pause_playback', 'take', 'two seconds in which the game reports whom it shows', CSDM_PLUGIN, 'plugin'),
  row(
    'spec_player <slot + 1>',
    'take',
    'whom to show, said again and again: nothing holds him',
    CSDM_ACTIONS,
    'plugin',
  ),
  row('startmovie <name>', 'take', 'the game films itself: pictures (TGA) and sound (wav)', CSDM, 'plugin'),
  row('endmovie', 'take', 'stop filming', CSDM, 'plugin'),
  row('go_to_next_sequence', 'after', 'the plugin goes back, and on with the next shot', CSDM_PLUGIN, 'plugin'),
  row('quit', 'after', 'end the game', CSDM),
];

/** Returns the settings of a take that the options of the clip decide. */
export function pictureSettings({ xray, onlyDeathnotices, ownKillfeed, hidesNames }: PictureOptions): string[] {
  return [
    `spec_show_xray ${xray ? 1 : 0}`,
    `cl_draw_only_deathnotices ${onlyDeathnotices ? 1 : 0}`,
    // Our killfeed replaces the game's, which is off then.
    `cl_drawhud_force_deathnotices ${ownKillfeed ? -1 : 0}`,
    `cl_drawhud_force_teamid_overhead ${hidesNames ? -1 : 0}`,
    `hud_showtargetid ${hidesNames ? 0 : 1}`,
    `tv_nochat ${hidesNames ? 1 : 0}`,
  ];
}

/** The commands of each start: the rows without a variable part, HLAE's own last. */
export const START_SETTINGS: readonly string[] = settings(({ by }) => by !== 'plugin');
/** The same for a game without HLAE. */
export const GAME_SETTINGS: readonly string[] = settings(({ by }) => by === 'both');

function settings(isTaken: (row: CommandRow) => boolean): string[] {
  return COMMANDS.filter((row) => row.when === 'start' && !row.form.includes('<') && isTaken(row)).map(
    ({ form }) => form,
  );
}
