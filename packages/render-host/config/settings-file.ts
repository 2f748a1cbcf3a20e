import { readFileSync } from 'node:fs';
import { reasonOf } from '#domain/reason.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type SettingsResult =
  | { readonly ok: true; readonly environment: Environment }
  | { readonly ok: false; readonly message: string };

/**
 * Returns the environment over the settings file: `path`, or the one that `TICKREEL_CONFIG` names. A file has a
 * `NAME=value` a line, as systemd and Docker read them. Lines that are empty or begin with `#` are skipped, and a value
 * may be in quotes. An empty variable of the environment does not replace the file's.
 */
export function withSettingsFile(
  environment: Environment,
  path: string | undefined,
  read: (path: string) => string = (file) => readFileSync(file, 'utf8'),
): SettingsResult {
  const file = path ?? environment.TICKREEL_CONFIG;
  if (file === undefined || file === '') return { ok: true, environment };
  let text: string;
  try {
    text = read(file);
  } catch (error) {
    return { ok: false, message: `The settings file cannot be read: ${reasonOf(error)}.` };
  }
  const settings: Record<string, string> = {};
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, name, value] = /^\s*([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
    // The line is not shown, because it may contain a token.
    if (name === undefined || value === undefined) {
      return { ok: false, message: `${file}, line ${i + 1}: write a setting as NAME=value.` };
    }
    settings[name] = unquoted(value.trim());
  }
  const set = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '');
  return { ok: true, environment: { ...settings, ...Object.fromEntries(set) } };
}

function unquoted(value: string): string {
  return /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
}
