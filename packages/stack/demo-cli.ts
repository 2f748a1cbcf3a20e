import { Command, InvalidArgumentError } from 'commander';
import { FPS, RESOLUTIONS } from '#domain/clip/render-order.ts';
import { type DemoOptions, runDemo } from './demo.ts';
import { runCommand } from './processes.ts';

const program = new Command('npm run demo --')
  .description(
    'Renders a clip on this machine, of the sample match or of a demo of yours. The radar draws it, from above.',
  )
  .option('--demo <file>', 'your own demo: .dem, .dem.gz, .dem.bz2, .dem.zst or .zip')
  .option('--player <steam64>', 'whose kills to clip; without it, what is in your demo is listed')
  .option('--round <number>', 'only the kills of this round', positive)
  .option('--best <number>', 'the best moments of your demo, so many', positive)
  .option('--fps <number>', `frames a second, ${FPS.least} to ${FPS.most}`, positive)
  .option('--resolution <pixels>', `height of the picture, ${RESOLUTIONS.join(' or ')}`, positive)
  .option('--out <file>', 'save the clip under this name and end; of several, the second is name-2.mp4')
  .option('--once', 'end when the clip is done, instead of serving it until Ctrl-C', false)
  .option('--port <number>', 'port to serve on; default: a free one', Number, 0)
  .option('--data <dir>', 'keep everything in this folder, instead of a temporary one that is removed at the end')
  .action((options: DemoOptions) => runDemo(options));

function positive(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('It must be a positive whole number.');
  return Number(text);
}

// The reader of the output closed the pipe, as `head` does: the demo stops as with Ctrl-C.
process.stdout.on('error', () => process.emit('SIGINT'));
await runCommand(program, '\n  ');
