import { hostname } from 'node:os';
import { Command } from 'commander';
import { type HostConfig, settingsHelp } from './config/host-config.ts';
import { withSettingsFile, withStoredToken } from './config/settings-file.ts';
import type { Finding } from './doctor/check-machine.ts';
import { runDoctor } from './doctor/doctor.ts';
import { leaveOnSignals } from './machine/stop-signals.ts';
import { importMaps } from './maps/import-maps.ts';
import { type EvidenceOptions, evidenceFault, recordEvidence } from './record-evidence.ts';
import { recordTestClip } from './record-test-clip.ts';
import { register } from './register.ts';
import { runHost } from './run-host.ts';

/**
 * `node packages/render-host/main.ts [run | doctor | register | maps import]`, with the environment that
 * docs/render-host.md lists.
 */
const program = new Command('render-host')
  .description('Renders clips for a Tickreel service.')
  .option('--config <file>', 'a file with settings; default: the one that TICKREEL_CONFIG names')
  .addHelpText('after', settingsHelp());

program
  .command('run', { isDefault: true })
  .description('claim jobs and render them until SIGTERM or SIGINT (what happens without a command)')
  .option('--serve <port>', 'listen for jobs there instead of asking for them (docs/push-hosts.md)')
  .action(async ({ serve }: { serve?: string }) => {
    const environment = withStoredToken(settings());
    process.exitCode = await runHost(serve === undefined ? environment : { ...environment, TICKREEL_SERVE: serve });
  });

program
  .command('doctor')
  .description('check this machine and its environment, and say how to fix what is wrong')
  .option('--json', 'print the findings as JSON')
  .option('--record [demo]', 'make a test clip of some seconds, of this demo or of the sample')
  .option('--evidence <dir>', 'with --record: record up to three demos in the game, and write a zip to send us there')
  .option(
    '--demo <file>',
    'with --evidence: a demo to record; may be given three times; default: the newest demos of the game',
    (file: string, files: readonly string[] = []) => [...files, file],
  )
  .action(async ({ json = false, ...options }: EvidenceOptions & { json?: boolean }) => {
    const print = (text: string) => void process.stdout.write(text);
    const tell = (text: string) => void process.stderr.write(text);
    const { record, evidence: dir } = options;
    const environment = withStoredToken(settings());
    const fault = await evidenceFault(options, environment);
    if (fault !== null) return program.error(fault, { exitCode: 2 });
    const path = typeof record === 'string' ? record : null;
    const makeClip = (config: HostConfig, findings: readonly Finding[]) =>
      dir === undefined
        ? recordTestClip(config, environment, path)
        : recordEvidence(config, environment, findings, {
            ...options,
            dir,
            print: tell,
            signal: leaveOnSignals(0).stop,
          });
    process.exitCode = await runDoctor(environment, { json, print, ...(record !== undefined && { makeClip }) });
  });

program
  .command('register')
  .description('make this machine a render host, with TICKREEL_REGISTRATION_TOKEN; once it is one, this does nothing')
  .option('--name <name>', 'what the operator sees it as', hostname())
  .action(async ({ name }: { name: string }) => {
    const { status, text } = await register(settings(), name);
    (status === 0 ? process.stdout : process.stderr).write(`${text}\n`);
    process.exitCode = status;
  });

program
  .command('maps')
  .description('the floors of maps, for the radar renderer')
  .command('import <game-folder>')
  .description("write the outline of each map of your own copy of the game, from the game's navigation meshes")
  .option('--out <folder>', 'where to write them; default: TICKREEL_OUTLINE_DIR, else outlines')
  .option('--map <name...>', 'only these maps, such as de_nuke')
  .option('--json', 'print the result as JSON')
  .action(async (folder: string, { out, map = [], json = false }: { out?: string; map?: string[]; json?: boolean }) => {
    const target = out ?? settings().TICKREEL_OUTLINE_DIR ?? 'outlines';
    const print = (text: string) => void (json ? process.stderr : process.stdout).write(text);
    const maps = await importMaps(folder, { out: target, only: map, print });
    if (json) process.stdout.write(`${JSON.stringify({ maps }, null, 2)}\n`);
    process.exitCode = maps.length > 0 && maps.every(({ error }) => error === null) ? 0 : 1;
  });

/** Returns the environment over the settings file. An unreadable file ends the program. */
function settings(): NodeJS.ProcessEnv {
  const read = withSettingsFile(process.env, program.opts().config);
  if (read.ok) return read.environment;
  process.stderr.write(`${read.message}\n`);
  process.exit(2);
}

// The reader of the output closed the pipe, as `head` does.
process.stdout.on('error', () => process.exit());
await program.parseAsync();
