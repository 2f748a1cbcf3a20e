import { readdir, readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { output } from '../../../machine/program.ts';
import type { Cs2Settings } from './launch-args.ts';

type GameFolder = Pick<Cs2Settings, 'gameDir'>;

/** Returns the folders where Steam may be: the library with the game, and those of its installers and of Flatpak. */
export async function steamFolders({ gameDir }: GameFolder, system = process.platform): Promise<readonly string[]> {
  const library = join(gameDir, '..', '..', '..');
  if (system === 'win32') {
    const said = await output('reg', ['query', 'HKCU\\Software\\Valve\\Steam', '/v', 'SteamPath']);
    const installed = /^\s*SteamPath\s+REG_SZ\s+(.*\S)/m.exec(said ?? '')?.[1];
    const usual = join(process.env['ProgramFiles(x86)'] ?? 'C:\\Program Files (x86)', 'Steam');
    return [installed ?? usual, usual, library];
  }
  const homes = [homedir(), join(homedir(), '.var/app/com.valvesoftware.Steam')];
  return [library, ...homes.flatMap((home) => [join(home, '.steam/steam'), join(home, '.local/share/Steam')])];
}

/** Returns the newest video settings that the game wrote for an account of this machine; empty if there are none. */
export async function newestVideoConfig(game: GameFolder): Promise<string> {
  let newest = { at: 0, text: '' };
  for (const steam of await steamFolders(game)) {
    const folder = join(steam, 'userdata');
    for (const account of await readdir(folder).catch(() => [])) {
      const path = join(folder, account, '730', 'local', 'cfg', 'cs2_video.txt');
      const at = (await stat(path).catch(() => null))?.mtimeMs ?? 0;
      if (at > newest.at) newest = { at, text: await readFile(path, 'utf8').catch(() => '') };
    }
  }
  return newest.text;
}

/** Returns the texts of Steam's lists of the accounts that have signed in; an empty one for a missing list. */
export async function readLogins(game: GameFolder): Promise<string[]> {
  const files = (await steamFolders(game)).map((steam) => join(steam, 'config', 'loginusers.vdf'));
  return Promise.all(files.map((path) => readFile(path, 'utf8').catch(() => '')));
}

/** Returns the Steam ID of the account that is signed in to Steam; null if no file names it. */
export async function signedInAccount(game: GameFolder): Promise<string | null> {
  for (const text of await readLogins(game)) {
    let account: string | null = null;
    for (const line of text.split('\n')) {
      account = /^\s*"(\d{17})"\s*$/.exec(line)?.[1] ?? account;
      if (/^\s*"MostRecent"\s*"1"\s*$/i.test(line)) return account;
    }
  }
  return null;
}
