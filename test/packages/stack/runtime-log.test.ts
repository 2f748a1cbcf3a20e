import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { Miniflare } from 'miniflare';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { passOn } from '#stack/runtime-log.ts';
import { runCron } from '#stack/service.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

async function passedOn(lines: readonly string[]): Promise<string[]> {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const output = new PassThrough();
  passOn(output);
  output.end(`${lines.join('\n')}\n`);
  await once(output, 'close');
  await expect.poll(() => written.mock.calls.at(-1)?.[0]).toBe('the end\n');
  return written.mock.calls.map(([line]) => String(line).trimEnd());
}

/** Output of this version of the runtime. */
const unresolved = (host: string) => [
  ...['workerd/io/io-context.c++:442', 'workerd/io/io-context.c++:442', 'workerd/jsg/util.c++:374'].flatMap((place) => [
    `${place}: error: e = kj/async-io-unix.c++:1293: failed: DNS lookup failed.; params.host = ${host}; params.service = ; gai_strerror(status) = Name or service not known`,
    'stack: /somewhere/workerd@53fab6e /somewhere/workerd@53fb660',
  ]),
];

describe('the cron on one machine', () => {
  it.each([
    ['', []],
    ["throw new Error('no upkeep')", ['the cron failed: exception']],
  ])('prints a line only if it failed: %j', async (scheduled, lines) => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const miniflare = new Miniflare({ modules: true, script: `export default { scheduled() { ${scheduled} } }` });
    await runCron(await miniflare.getWorker(), new AbortController().signal);
    await miniflare.dispose();
    expect(written.mock.calls.map(([line]) => String(line).trimEnd())).toEqual(lines);
  });

  it('prints nothing when it meets a stop', async () => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const miniflare = new Miniflare({ modules: true, script: 'export default { scheduled() {} }' });
    const worker = await miniflare.getWorker();
    await miniflare.dispose();
    await runCron(worker, AbortSignal.abort());
    expect(written).not.toHaveBeenCalled();
  });
});

describe("the runtime's own output", () => {
  it('has one plain line for a name that does not resolve', async () => {
    const lines = [...unresolved('nowhere.invalid'), ...unresolved('neither.invalid'), 'the end'];
    expect(await passedOn(lines)).toEqual([
      'nobody knows an address for nowhere.invalid',
      'nobody knows an address for neither.invalid',
      'the end',
    ]);
  });

  it('has one plain line for a name that leads to a private address', async () => {
    const refused = [
      'workerd/jsg/util.c++:374: error: e = kj/async-io-unix.c++:1650: failed: connect() blocked by restrictPeers()',
      'stack: /somewhere/workerd@53fcde0',
    ];
    expect(await passedOn([...refused, 'the end'])).toEqual([
      'a call was refused: its name leads to a private address',
      'the end',
    ]);
  });

  it('has nothing of clients that hung up', async () => {
    const hungUp = ['Broken pipe', 'Connection reset by peer'].flatMap((how) => [
      `workerd/server/server.c++:6090: error: kj::getCaughtExceptionAsKj() = kj/async-io-unix.c++:186: disconnected: ::write(fd, buffer.begin(), buffer.size()): ${how}`,
      'stack: /somewhere/workerd@5400a58',
    ]);
    expect(await passedOn([...hungUp, 'uncaught exception', 'stack: /somewhere/workerd@1', 'the end'])).toEqual([
      'uncaught exception',
      'stack: /somewhere/workerd@1',
      'the end',
    ]);
  });

  it('is forwarded otherwise, traces of other errors too', async () => {
    const lines = ['NOSENTRY R2', 'uncaught exception', 'stack: /somewhere/workerd@1', 'the end'];
    expect(await passedOn(lines)).toEqual(lines.slice(1));
  });
});
