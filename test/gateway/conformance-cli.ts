import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { tryHost, type Verdict } from './host-conformance.ts';
import { orderOf, sampleOrder } from './stage.ts';

const seconds = (text: string) => {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('It must be a number of seconds above 0.');
  return value;
};

const program = new Command('npm run conformance:host --')
  .description(
    'Starts a host program again and again, each time against a gateway that behaves in another way, and tells which of the rules of docs/gateway.md it keeps. The program gets TICKREEL_URL, TICKREEL_HOST_TOKEN and TICKREEL_WORK_DIR, an empty folder.',
  )
  .argument('<command...>', 'the program and its arguments; it is started without a shell')
  .option('--demo <file>', 'the demo to render from; default: a small one of our own')
  .option('--steam64-id <id>', 'whose kills to render; needed with --demo')
  .option('--only <words>', 'rules that hold these words', '')
  .option('--push', 'the program listens for grants at TICKREEL_SERVE, signed with TICKREEL_PUSH_SECRET')
  .option('--at-once <number>', 'how many rules are tried at a time', Number, 2)
  .option('--patience-s <seconds>', 'how long a step may take', seconds, 60)
  .option('--hold-s <seconds>', 'how long a claim is held at the longest', seconds, 26)
  .passThroughOptions()
  .parse();

const { demo, steam64Id, only, push: isPush, atOnce, patienceS, holdS } = program.opts();
if (demo !== undefined && steam64Id === undefined) program.error('--demo needs --steam64-id.');
const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
try {
  const given = demo === undefined ? await sampleOrder(folder) : { demoPath: demo, order: orderOf(steam64Id) };
  const candidate = { command: program.args, ...given, patienceMs: patienceS * 1000, holdS, isPush };
  const verdicts = await tryHost(candidate, { only, atOnce, tell });
  const broken = verdicts.filter(({ faults }) => faults.length > 0).length;
  say(`\n${verdicts.length - broken} of ${verdicts.length} rules kept.`);
  process.exitCode = broken === 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function tell({ says, faults }: Verdict): void {
  say(`${faults.length === 0 ? 'ok  ' : 'FAIL'}  A host ${says}.`);
  for (const fault of faults.slice(0, 5)) say(`        ${fault}`);
}
