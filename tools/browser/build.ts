import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import subsetFont from 'subset-font';
import { FONT_FILES, FONT_PARTS } from '#web/replay/browser-canvas.ts';

/** The scripts of the pages: the constant of each, and its entry file. */
const SCRIPTS = {
  CLIP_SCRIPT: '../../packages/web/clip-script.ts',
  EMBED_SCRIPT: '../../packages/web/embed-script.ts',
  LANDING_SCRIPT: '../../packages/web/landing-script.ts',
  REFERENCE_SCRIPT: '../../packages/web/reference-script.ts',
} as const;

/** Larger scripts, which are files beside the Worker. */
const STATIC_SCRIPTS = {
  studio: 'studio-script.tsx',
  console: 'console-script.tsx',
  replay: 'replay-script.ts',
} as const;

/** The styles of the pages. */
const STYLES = {
  PAGE_STYLES: '../../packages/web/styles/page.css',
  CLIP_STYLES: '../../packages/web/styles/clip.css',
  CLIP_STYLES_WITHOUT_SCRIPT: '../../packages/web/styles/clip-without-script.css',
  EMBED_STYLES: '../../packages/web/styles/embed.css',
  REPLAY_STYLES: '../../packages/web/styles/replay.css',
  LANDING_STYLES: '../../packages/web/styles/landing.css',
  DOCS_STYLES: '../../packages/web/styles/docs.css',
} as const;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TABLES = /\/client\/(operator-)?shapes\.ts$/;

/**
 * Removes operations from the client's tables that no script and no module of the client names, so that a new operation
 * does not change the scripts.
 */
const usedOperations: Plugin = {
  name: 'used-operations',
  setup({ onLoad }) {
    const files = globSync(['packages/web/**/*.{ts,tsx}', 'packages/client/*.ts'], { cwd: ROOT });
    const sources = files.filter((file) => !TABLES.test(file)).map((file) => readFileSync(`${ROOT}${file}`, 'utf8'));
    const used = new Set(sources.join().match(/\w+/g));
    onLoad({ filter: TABLES }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      // The methods of the client name operations, too.
      for (const [, id = ''] of text.matchAll(/^ {2}(\w+): \{"path"/gm)) used.add(id);
      const contents = text.replace(/^ {2}(\w+): '.*',\n/gm, (line, id) => (used.has(id) ? line : ''));
      return { contents, loader: 'ts' };
    });
  },
};

const SCRIPT: BuildOptions = {
  format: 'iife',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  plugins: [usedOperations],
};

/**
 * Builds the scripts and styles of the pages, as text by path below `src`. All are put into their pages: see
 * docs/decisions/006-api-reference.md.
 */
export async function buildPageFiles(): Promise<Readonly<Record<string, string>>> {
  const statics = await Promise.all(
    Object.entries(STATIC_SCRIPTS).map(async ([name, file]) => {
      const script = await minified(`../../packages/web/${file}`, SCRIPT);
      return [`static/${name}.js`, `${script}\n`] as const;
    }),
  );
  const replay = createHash('sha256')
    .update(statics.find(([name]) => name === 'static/replay.js')?.[1] ?? '')
    .digest('hex');
  return {
    // Of the studio and the console; a file for the same reason.
    'static/work.css': `${await minified('../../packages/web/styles/work.css', {})}\n`,
    'page/page-scripts.ts': `${await buildModule('packages/web', SCRIPTS, SCRIPT)}
/** Differs with the script of replays, a file of its own. */
export const REPLAY_VERSION = '${replay.slice(0, 12)}';
`,
    'page/page-styles.ts': await buildModule('packages/web/styles', STYLES, {}),
    ...Object.fromEntries(statics),
  };
}

/** `files`: entry files by the name of their constant. */
async function buildModule(
  source: string,
  files: Readonly<Record<string, string>>,
  options: BuildOptions,
): Promise<string> {
  const lines = [`// Made by \`npm run page-scripts\` out of ${source}. Do not edit.`, ''];
  for (const [name, file] of Object.entries(files)) {
    lines.push(`export const ${name} =`, `  ${quoted(await minified(file, options))};`);
  }
  return `${lines.join('\n')}\n`;
}

async function minified(file: string, options: BuildOptions): Promise<string> {
  const { outputFiles = [] } = await build({
    entryPoints: [new URL(file, import.meta.url).pathname],
    bundle: true,
    minify: true,
    // Escapes what could end the script or style element.
    supported: { 'inline-script': false, 'inline-style': false },
    charset: 'ascii',
    write: false,
    ...options,
  });
  return outputFiles[0]?.text.trim() ?? '';
}

/** Formats a string literal as the formatter does. */
function quoted(text: string): string {
  const plain = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  const quote = plain.split("'").length <= plain.split('"').length ? "'" : '"';
  return quote + plain.replaceAll(quote, `\\${quote}`) + quote;
}

const FONTS = new URL('../../packages/scene/fonts/', import.meta.url);
const FACES = { text: 'InterTight-SemiBold.ttf', display: 'InterTight-ExtraBold.ttf' } as const;

/** Builds the shipped faces for browsers, as files by path below `src`: WOFF2, in the parts of `FONT_PARTS`. */
export async function buildFonts(): Promise<Readonly<Record<string, Uint8Array>>> {
  const files: Record<string, Uint8Array> = {};
  for (const face of Object.values(FONT_FILES)) {
    const font = await readFile(new URL(FACES[face], FONTS));
    for (const [part, ranges] of Object.entries(FONT_PARTS)) {
      files[`static/${face}-${part}.woff2`] = await subsetFont(font, charactersIn(ranges), { targetFormat: 'woff2' });
    }
  }
  return files;
}

/** Returns the characters of ranges such as `U+0-17F, U+20AC`. */
function charactersIn(ranges: string): string {
  return ranges
    .split(',')
    .flatMap((range) => {
      const [from = 0, to = from] = range
        .trim()
        .slice(2)
        .split('-')
        .map((code) => Number.parseInt(code, 16));
      return Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i));
    })
    .join('');
}
