import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const PACKAGES = fileURLToPath(new URL('../../../packages', import.meta.url));

type MayImport = Readonly<Record<string, readonly string[]>>;

/**
 * The folders of the render host and those each may import from, lowest first. A file belongs to the innermost folder
 * that is listed. A file outside of them may import from all.
 */
const HOST: MayImport = {
  machine: [],
  download: [],
  decompress: ['machine'],
  source2: ['machine'],
  match: ['machine', 'source2'],
  plan: ['match'],
  frames: [],
  sound: ['machine', 'match', 'frames'],
  drawing: [],
  overlays: ['machine', 'frames', 'drawing'],
  capture: ['match', 'frames'],
  'capture/radar': ['match', 'frames', 'drawing', 'sound', 'capture'],
  'capture/cs2/game': ['machine', 'match', 'capture'],
  'capture/cs2/recording': ['machine', 'match', 'capture', 'capture/cs2/game'],
  'capture/cs2/plugin': ['machine', 'capture', 'capture/cs2/game', 'capture/cs2/recording'],
  'capture/cs2/footage': ['match', 'frames', 'drawing', 'capture/cs2/recording'],
  'capture/cs2': [
    ...['machine', 'source2', 'frames', 'encode', 'capture'],
    ...['capture/cs2/game', 'capture/cs2/recording', 'capture/cs2/plugin', 'capture/cs2/footage'],
  ],
  encode: ['machine', 'frames'],
  thumbnail: ['match', 'frames', 'drawing'],
  pipeline: [
    ...['machine', 'download', 'decompress', 'match', 'plan', 'frames'],
    ...['capture', 'overlays', 'sound', 'encode', 'thumbnail'],
  ],
  agent: ['machine', 'pipeline'],
  metrics: ['agent'],
  config: ['machine', 'download', 'pipeline', 'capture/cs2/game'],
  maps: ['match'],
  doctor: ['machine', 'match', 'drawing', 'encode', 'capture/radar', 'capture/cs2/game', 'config'],
};

/** The same of the scene. */
const SCENE: MayImport = {
  match: [],
  plan: ['match'],
  frames: ['plan'],
  drawing: ['match'],
  overlays: ['match', 'plan', 'frames', 'drawing'],
  camera: ['match', 'plan', 'drawing'],
  map: ['match', 'drawing', 'camera'],
  paint: ['match', 'plan', 'frames', 'drawing', 'camera'],
};

describe.each([
  [
    'render-host',
    HOST,
    [
      'build.ts',
      'libraries.d.ts',
      'main.ts',
      'record-evidence.ts',
      'record-test-clip.ts',
      'register.ts',
      'run-host.ts',
      'sample-demo.ts',
    ],
  ],
  ['scene', SCENE, ['scene.ts', 'visibility.ts']],
])('the folders of %s', (name, mayImport, others) => {
  const root = join(PACKAGES, name);
  const byDepth = Object.keys(mayImport).sort((a, b) => b.length - a.length);
  const files = readdirSync(root, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));

  /** Returns null for a file outside of the listed folders. */
  const folderOf = (path: string): string | null => byDepth.find((folder) => path.startsWith(`${folder}/`)) ?? null;

  /** Returns the imports of files of the package, as paths in it. */
  const importsOf = (file: string): string[] => {
    const text = readFileSync(join(root, file), 'utf8');
    const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'|new URL\('(\.[^']+\.ts)'/g);
    return [...found]
      .map(([, imported, url]) => relative(root, resolve(root, dirname(file), imported ?? url ?? '')))
      .filter((path) => !path.startsWith('..'));
  };

  it.each(Object.entries(mayImport))('%s imports only from %j', (folder, allowed) => {
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
    expect(allowed.filter((folder) => !used.has(folder))).toEqual([]);
  });

  it('lie in one order, each importing only from those before it', () => {
    const placed = new Set<string>();
    let waiting = Object.entries(mayImport);
    while (waiting.length > 0) {
      const next = waiting.filter(([, allowed]) => allowed.every((folder) => placed.has(folder)));
      expect(next, `a circle among ${waiting.map(([folder]) => folder).join(', ')}`).not.toEqual([]);
      for (const [folder] of next) placed.add(folder);
      waiting = waiting.filter(([folder]) => !placed.has(folder));
    }
  });

  it('hold every file but those that compose them', () => {
    expect(files.filter((file) => folderOf(file) === null).toSorted()).toEqual(others);
  });
});
