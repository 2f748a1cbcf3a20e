import { readFileSync } from 'node:fs';
import { reasonOf } from '#domain/reason.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type SettingsResult =
  | { readonly ok: true; readonly environment: Environment }
  | { readonly ok: false; readonly message: string };

/**
 * The environment, over what stands in the settings file: `path`, or the one that `TICKREEL_CONFIG` names. A file has a
 * `NAME=value` a line, as systemd and Docker read them; lines that are empty or begin with `#` say nothing, and a value
 * may stand in quotes. A variable of the environment that is set to nothing leaves the file its word.
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
    // Not shown: a token may stand there.
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
