import { build } from 'esbuild';

/** The scripts of the pages: the constant that holds each, and the file that it begins in. */
const SCRIPTS = {
  CLIP_SCRIPT: 'clip-script.ts',
  EMBED_SCRIPT: 'embed-script.ts',
  WAIT_SCRIPT: 'wait-script.ts',
} as const;

/**
 * The module that the Worker imports the scripts from, as text. Each script is one small string to be put into its
 * page: see docs/decisions/009-page-scripts.md.
 */
export async function buildPageScripts(): Promise<string> {
  const lines = ['// Made by `npm run page-scripts` out of page-scripts/browser. Do not edit.', ''];
  for (const [name, file] of Object.entries(SCRIPTS)) {
    const { outputFiles } = await build({
      entryPoints: [new URL(`browser/${file}`, import.meta.url).pathname],
      bundle: true,
      minify: true,
      format: 'iife',
      target: 'es2022',
      // Nothing in it may end the script element it stands in.
      supported: { 'inline-script': false },
      charset: 'ascii',
      write: false,
    });
    lines.push(`export const ${name} =`, `  ${quoted(outputFiles[0]?.text.trim() ?? '')};`);
  }
  return `${lines.join('\n')}\n`;
}

/** As the formatter would have it. */
function quoted(text: string): string {
  const plain = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  const quote = plain.split("'").length <= plain.split('"').length ? "'" : '"';
  return quote + plain.replaceAll(quote, `\\${quote}`) + quote;
}
