import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { Command, Option } from 'commander';
import type { Asset } from '../shapes.ts';
import { asClient, bind, isJson } from './bind.ts';
import { print, tell } from './output.ts';
import { UsageError } from './settings.ts';
import { followToItsEnd } from './watch.ts';

export function jobsCommand(): Command {
  const group = new Command('jobs').description('what was submitted');
  group
    .command('watch <job>')
    .description('follow it to its end; exit status 1 if it fails')
    .action(async (job: string, _, command: Command) => {
      const client = asClient(command);
      // Fails at once if the address is wrong. Later outages are waited for.
      await client.jobs.get(job);
      await followToItsEnd(client, job, command);
    });
  return group;
}

export function clipsCommand(): Command {
  const group = new Command('clips').description('what was rendered');
  bind(group.command('urls <clip>').description('its public addresses'), asClient, async (client, [id = '']) =>
    client.clips.urls(id),
  );
  group
    .command('download <clip> <file>')
    .description('save the MP4')
    .action(async (clip: string, file: string, _, command: Command) => {
      await untilKilled((signal) => asClient(command).clips.downloadTo(clip, file, { signal }));
      tell(`Saved ${file}.`);
    });
  return group;
}

/**
 * Aborts the signal of `run` on SIGINT and SIGTERM, so that it removes its files. Then ends the process by that signal.
 */
async function untilKilled(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const end = (name: NodeJS.Signals) => stop.abort(name);
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, end);
  await run(stop.signal).finally(() => {
    for (const name of ['SIGINT', 'SIGTERM']) process.off(name, end);
    if (stop.signal.aborted) process.kill(process.pid, stop.signal.reason);
  });
}

const ASSET_TYPES: Record<string, string> = {
  ...{ '.png': 'image/png', '.jpg': 'image/jpeg', '.jpeg': 'image/jpeg', '.webp': 'image/webp' },
  ...{ '.wav': 'audio/wav', '.mp3': 'audio/mpeg', '.flac': 'audio/flac', '.ogg': 'audio/ogg', '.opus': 'audio/ogg' },
};

export function assetsCommand(): Command {
  const group = new Command('assets').description('watermarks, intros, outros and music');
  group
    .command('upload <file>')
    .description('a PNG, JPEG or WebP; for music a WAV, MP3, FLAC or OGG')
    .addOption(
      new Option('--kind <kind>', 'what it is for')
        .choices(['watermark', 'intro', 'outro', 'music'])
        .default('watermark'),
    )
    .option('--name <text>', "what to call it; the file's name unless given")
    .action(async (file: string, { kind, name }: { kind: Asset['kind']; name?: string }, command: Command) => {
      const type = ASSET_TYPES[extname(file).toLowerCase()];
      if (!type) throw new UsageError(`${file} is none of ${Object.keys(ASSET_TYPES).join(', ')}.`);
      const blob = new Blob([await readFile(file).catch(unreadable)], { type });
      const asset = await asClient(command).assets.upload(blob, { kind, name: name ?? basename(file) });
      print(asset, isJson(command));
    });
  return group;
}

export function unreadable(error: Error): never {
  throw new UsageError(`The file cannot be read: ${error.message}`);
}
