import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const HOST = fileURLToPath(new URL('../../../packages/render-host', import.meta.url));

/**
 * The folders of the render host and those each may import from, lowest first. docs/render-host.md draws the same. A
 * file belongs to the innermost folder that is listed. A file outside of them may import from all.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  machine: [],
  download: [],
  decompress: ['machine'],
  source2: [],
  match: ['machine', 'source2'],
  plan: ['match'],
  frames: ['plan'],
  sound: ['machine', 'match', 'plan', 'frames'],
  drawing: ['match'],
  overlays: ['machine', 'match', 'plan', 'frames', 'drawing'],
  capture: ['match', 'plan', 'frames'],
  'capture/radar/camera': ['match', 'plan', 'drawing'],
  'capture/radar/map': ['match', 'drawing', 'capture/radar/camera'],
  'capture/radar/paint': ['match', 'plan', 'frames', 'drawing', 'capture/radar/camera'],
  'capture/radar/scene': [
    ...['match', 'plan', 'frames', 'drawing', 'overlays'],
    ...['capture/radar/camera', 'capture/radar/map', 'capture/radar/paint'],
  ],
  'capture/radar': [
    ...['match', 'plan', 'frames', 'drawing', 'sound', 'capture'],
    ...['capture/radar/map', 'capture/radar/scene'],
  ],
  'capture/cs2/game': ['machine', 'match', 'frames', 'capture'],
  'capture/cs2/recording': ['machine', 'match', 'plan', 'frames', 'capture', 'capture/cs2/game'],
  'capture/cs2/plugin': ['machine', 'capture', 'capture/cs2/game', 'capture/cs2/recording', 'frames'],
  'capture/cs2/footage': [...['match', 'plan', 'frames', 'drawing', 'overlays'], 'capture/cs2/recording'],
  'capture/cs2': [
    ...['machine', 'source2', 'frames', 'encode', 'capture'],
    ...['capture/cs2/game', 'capture/cs2/recording', 'capture/cs2/plugin', 'capture/cs2/footage'],
  ],
  encode: ['machine', 'frames'],
  thumbnail: ['match', 'plan', 'frames', 'drawing', 'overlays'],
  pipeline: [
    ...['machine', 'download', 'decompress', 'match', 'plan', 'frames'],
    ...['capture', 'overlays', 'sound', 'encode', 'thumbnail'],
  ],
  agent: ['machine', 'pipeline'],
  metrics: ['agent'],
  config: ['machine', 'download', 'pipeline', 'capture/cs2/game'],
  relay: ['machine'],
  maps: ['match'],
  doctor: ['machine', 'match', 'drawing', 'encode', 'capture/radar/map', 'capture/cs2/game', 'config'],
};

const byDepth = Object.keys(MAY_IMPORT).sort((a, b) => b.length - a.length);

/** Returns null for a file outside of the listed folders. */
function folderOf(path: string): string | null {
  return byDepth.find((folder) => path.startsWith(`${folder}/`)) ?? null;
}

const files = readdirSync(HOST, { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => relative(HOST, join(entry.parentPath, entry.name)));

/** Returns the imports of files of the host, as paths in it. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(HOST, file), 'utf8');
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'|new URL\('(\.[^']+\.ts)'/g);
  return [...found]
    .map(([, imported, url]) => relative(HOST, resolve(HOST, dirname(file), imported ?? url ?? '')))
    .filter((path) => !path.startsWith('..'));
}

describe('the folders of the render host', () => {
  it.each(Object.entries(MAY_IMPORT))('%s imports only from %j', (folder, allowed) => {
    const mine = files.filter((file) => folderOf(file) === folder);
    expect(mine.length).toBeGreaterThan(0);
    const used = new Set<string | null>();
    const wrong = mine.flatMap((file) =>
      importsOf(file).flatMap((path) => {
        const target = folderOf(path);
        used.add(target);
        return target === folder || (target !== null && allowed.includes(target)) ? [] : [`${file} imports ${path}`];
      }),
    );
    expect(wrong).toEqual([]);
    expect(allowed.filter((name) => !used.has(name))).toEqual([]);
  });

  it('lie in one order, each importing only from those before it', () => {
    const placed = new Set<string>();
    let waiting = Object.entries(MAY_IMPORT);
    while (waiting.length > 0) {
      const next = waiting.filter(([, allowed]) => allowed.every((folder) => placed.has(folder)));
      expect(next, `a circle among ${waiting.map(([folder]) => folder).join(', ')}`).not.toEqual([]);
      for (const [folder] of next) placed.add(folder);
      waiting = waiting.filter(([folder]) => !placed.has(folder));
    }
  });

  it('hold every file but those that compose the host', () => {
    expect(files.filter((file) => folderOf(file) === null).toSorted()).toEqual([
      'build.ts',
      'main.ts',
      'record-test-clip.ts',
      'register.ts',
      'run-host.ts',
    ]);
  });
});
