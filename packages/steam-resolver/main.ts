import { readFileSync, statSync } from 'node:fs';
import SteamUser from 'steam-user';
import { reasonOf } from '#domain/reason.ts';
import { secretKindOf } from '#domain/secret-key.ts';
import { createResolve } from './ask-steam.ts';
import { runResolver } from './run-resolver.ts';

// `node packages/steam-resolver/main.ts`, with the environment that docs/steam.md lists.
const { TICKREEL_URL: serviceUrl = '', TICKREEL_RESOLVER_TOKEN: token = '', STEAM_TOKEN_FILE: file = '' } = process.env;

const log = (text: string): void => void process.stderr.write(`${text}\n`);
/** Ends the program. A restart does not help after status 2. */
function leave(status: number, text: string): never {
  log(text);
  process.exit(status);
}

function readSteamToken(): string {
  try {
    if (statSync(file).mode & 0o077) leave(2, `Others can read ${file}: run chmod 600 ${file}`);
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    return leave(2, `STEAM_TOKEN_FILE must name the file of the Steam account's refresh token: ${reasonOf(error)}`);
  }
}

if (!/^https?:/.test(serviceUrl)) leave(2, 'TICKREEL_URL must be the address of the service, as https://example.com');
if (secretKindOf(token) !== 'resolver')
  leave(2, 'TICKREEL_RESOLVER_TOKEN must be a token of `hosts create --resolver`');
const refreshToken = readSteamToken();
if (!/^[\w-]+(\.[\w-]+){2}$/.test(refreshToken))
  leave(2, `${file} has no refresh token of Steam: three words with dots`);

const FINAL = ['AccessDenied', 'Expired', 'InvalidPassword', 'Revoked'];
const steam = new SteamUser({ dataDirectory: null });
steam.on('error', ({ message }) => leave(FINAL.includes(message) ? 2 : 1, `Steam refuses the sign-in: ${message}`));
const stop = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => stop.abort());
const world = { resolve: createResolve(steam, log), log, stop: stop.signal };
steam.logOn({ refreshToken });
await runResolver({ serviceUrl, token }, world).catch((error) => leave(2, reasonOf(error)));
steam.once('disconnected', () => process.exit());
steam.logOff();
if (!steam.steamID) process.exit();
