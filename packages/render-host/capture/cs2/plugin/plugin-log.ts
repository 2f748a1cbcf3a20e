import { open } from 'node:fs/promises';

/** What a line of the plugin's log reports, and the tick of playback if the line has one. */
export interface PluginEvent {
  readonly kind: PluginEventKind;
  readonly tick: number | null;
  /** The command of a `ran`, else empty. */
  readonly command: string;
}

/** `hooked`: the plugin sees each frame of the game, which happens once a demo plays. */
type PluginEventKind = 'loaded' | 'no-actions' | 'hooked' | 'playing' | 'paused' | 'resumed' | 'next' | 'ran';

/** The texts of cs-demo-manager's `main.cpp`: of v3.20.1, and of versions since 2025 where they differ. */
const PATTERNS: readonly (readonly [RegExp, PluginEventKind])[] = [
  [/^(?:\d+ sequences loaded|JSON sequences file loaded)/, 'loaded'],
  [/^(?:JSON sequences file not found|No sequences found)/, 'no-actions'],
  // Versions before March 2026 have a thread instead of a hook.
  [/^(?:Hooked FrameStageNotify|Initialized)/, 'hooked'],
  [/^Demo playback started/, 'playing'],
  [/^Pausing demo playback/, 'paused'],
  [/^Resuming demo playback/, 'resumed'],
  [/^Going to next sequence/, 'next'],
  [/^Executing: /, 'ran'],
];

/** Returns the event of a line of the log, or null: the plugin also logs its action file and its own connection. */
export function readPluginLine(line: string): PluginEvent | null {
  const [, tick, text = ''] = /^(?:\[(-?\d+)\] )?(.*)$/.exec(line.trimEnd()) ?? [];
  const [pattern, kind] = PATTERNS.find(([one]) => one.test(text)) ?? [];
  if (pattern === undefined || kind === undefined) return null;
  return {
    kind,
    tick: tick === undefined ? null : Number(tick),
    command: kind === 'ran' ? text.replace(pattern, '') : '',
  };
}

/** A longer line is not the plugin's. */
const MAX_LINE = 64 * 1024;

/** Returns the complete lines that were written to a file since the last call; none for a missing file. */
export function tailFile(path: string): () => Promise<string[]> {
  let offset = 0;
  let rest = '';
  const decoder = new TextDecoder();
  return async () => {
    const file = await open(path).catch(() => null);
    if (file === null) return [];
    try {
      const { size } = await file.stat();
      // A new start of the game writes a new log.
      if (size < offset) {
        offset = 0;
        rest = '';
      }
      const bytes = Buffer.alloc(Math.min(size - offset, MAX_LINE * 16));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
      offset += bytesRead;
      const lines = (rest + decoder.decode(bytes.subarray(0, bytesRead), { stream: true })).split('\n');
      rest = (lines.pop() ?? '').slice(-MAX_LINE);
      return lines.map((line) => line.replace(/\r$/, ''));
    } finally {
      await file.close();
    }
  };
}
