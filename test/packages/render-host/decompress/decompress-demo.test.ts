import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DecompressOptions, decompressDemo } from '#render-host/decompress/decompress-demo.ts';
import { BODY, BODY_BZ2, BOMB_BZ2, rar, rar4, rarEncryption, type ZipEntry, zip } from './archives.ts';

let workDir: string;
beforeEach(async () => {
  workDir = await mkdtemp(join(tmpdir(), 'decompress-'));
});
afterEach(() => rm(workDir, { recursive: true }));

async function decompress(content: Buffer, overrides: Partial<DecompressOptions> = {}) {
  const path = join(workDir, 'download');
  await writeFile(path, content);
  return decompressDemo({ path, workDir, signal: new AbortController().signal, ...overrides });
}

/** Returns the unpacked demo, or the failure's code. */
async function unpacked(content: Buffer, overrides: Partial<DecompressOptions> = {}) {
  const result = await decompress(content, overrides);
  return result.ok ? (await readFile(result.demoPath)).toString('latin1') : result.code;
}

const zstd = (content: Buffer) => zstdCompressSync(content, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
const TEXT = BODY.toString('latin1');
const MATCH = { name: 'match.dem', content: BODY };
const FORMATS = {
  gzip: gzipSync(BODY),
  bzip2: BODY_BZ2,
  zstd: zstd(BODY),
  zip: zip(MATCH),
  rar: rar([MATCH]),
  'rar 4': rar4([MATCH]),
};
const formats = Object.entries(FORMATS);
/** Archives of several files. */
const ARCHIVES: [string, (entries: { name: string; content: Buffer }[]) => Buffer][] = [
  ['zip', (entries) => zip(...entries)],
  ['rar', rar],
  ['rar 4', rar4],
];

describe('what is passed on', () => {
  test.each([
    ['a plain demo', BODY],
    ['a CS:GO demo', Buffer.from('HL2DEMO\0....')],
    ['what is neither a demo nor an archive', deflateSync(BODY)],
    ['an empty file', Buffer.alloc(0)],
    ['a file of one byte', Buffer.from([0x1f])],
  ])('%s', async (_name, content) => {
    expect(await unpacked(content)).toBe(content.toString('latin1'));
  });
});

describe('what is unpacked', () => {
  test.each(formats)(
    'a demo in %s, whatever its file is called; nothing but the demo stays on disk',
    async (_, file) => {
      expect(await unpacked(file)).toBe(TEXT);
      expect(await readdir(workDir)).toEqual(['match.dem']);
    },
  );

  test.each([
    ['gzip members', FORMATS.gzip],
    ['bzip2 streams', FORMATS.bzip2],
    ['zstd frames', FORMATS.zstd],
  ])('several %s in one file', async (_name, file) => {
    expect(await unpacked(Buffer.concat([file, file, file]))).toBe(TEXT.repeat(3));
  });

  test('zstd frames of every header size, between skippable ones', async () => {
    const skippable = Buffer.from('502a4d1803000000aaaaaa', 'hex');
    const sizes = [0, 1, 255, 256, 70_000, 300_000];
    const bodies = sizes.map((size) => Buffer.alloc(size, 'demo '));
    const frames = bodies.flatMap((body) => [skippable, zstdCompressSync(body), zstd(body)]);
    const expected = Buffer.concat(bodies.flatMap((body) => [body, body]));
    expect((await unpacked(Buffer.concat(frames))) === expected.toString('latin1')).toBe(true);
  });

  test.each([
    ['gzip', FORMATS.gzip, Buffer.alloc(512)],
    ['gzip', FORMATS.gzip, Buffer.from('some signature')],
    ['gzip', Buffer.concat([FORMATS.gzip, gzipSync('')]), Buffer.from([0x1f])],
    ['zip', FORMATS.zip, Buffer.from('\r\n--boundary--\r\n')],
    ['zip', FORMATS.zip, Buffer.from('PK\x05\x06'.repeat(9))],
    ['rar', FORMATS.rar, Buffer.alloc(512)],
    ['bzip2', FORMATS.bzip2, Buffer.from('some signature')],
    ['zstd', FORMATS.zstd, Buffer.from('some signature')],
  ])('%s with trailing bytes', async (_name, file, trailing) => {
    expect(await unpacked(Buffer.concat([file, trailing]))).toBe(TEXT);
  });

  test.each([
    ['br', ['br'], brotliCompressSync(BODY)],
    ['br of an archive', ['gzip', 'br'], brotliCompressSync(FORMATS.gzip)],
    ['gzip of br', ['br', 'gzip'], gzipSync(brotliCompressSync(BODY))],
    ['deflate', ['deflate'], deflateSync(BODY)],
    ['deflate without the header of zlib', ['deflate'], deflateRawSync(BODY)],
    ['br that the server only names', ['br'], BODY],
    ['codings that are no compression', ['aws-chunked', 'identity'], FORMATS.zip],
  ])('a demo in the content coding %s', async (_what, codings, content) => {
    expect(await unpacked(content, { codings })).toBe(TEXT);
  });

  test('an archive in an archive', async () => {
    expect(await unpacked(zip({ name: 'match.dem.bz2', content: FORMATS.bzip2 }))).toBe(TEXT);
  });

  test.each(ARCHIVES)('the only demo of a %s, beside other files', async (_format, make) => {
    const archive = make([
      { name: 'readme.txt', content: Buffer.alloc(9000) },
      { name: 'folder/MATCH.DEM', content: BODY },
    ]);
    expect(await unpacked(archive)).toBe(TEXT);
  });

  /** What the Finder of macOS adds for a file (AppleDouble, RFC 1740). */
  const note = Buffer.from('00051607000200004d6163204f532058', 'hex');
  const gz = FORMATS.gzip;
  const BESIDE: Record<string, Record<string, Buffer | string>> = {
    'notes of macOS': { 'match.dem': BODY, '__MACOSX/._match.dem': note, '.DS_Store': note },
    'demos that are empty, or of CS:GO': { 'a.dem': '', 'b.dem': 'HL2DEMO\0', match: BODY },
    'a text that is called like a demo': { 'a.dem': 'removed', 'match.dem': BODY },
    'the same demo in another folder': { 'match.dem': BODY, 'copy/match.dem': BODY },
    'the same demo in a .gz': { 'match.dem': BODY, 'match.dem.gz': gz },
    'the same demo after its .gz': { 'Match.dem.gz': gz, 'old/Match.dem': BODY },
    'a text, in an archive': { readme: 'hello', 'match.gz': gz },
    'another archive': { 'voice.gz': gz, 'match.dem': BODY },
  };
  test.each(
    ARCHIVES.flatMap(([format, make]) =>
      Object.entries(BESIDE).map(([beside, files]) => [format, beside, Object.entries(files), make] as const),
    ),
  )('of a %s the only demo, beside %s', async (_format, _beside, files, make) => {
    const archive = make(files.map(([name, content]) => ({ name, content: Buffer.from(content) })));
    const [demo] = files.filter(([, content]) => content === BODY).map(([name]) => [name]);
    expect(await decompress(archive)).toMatchObject({ ok: true, bytes: BODY.length, demos: demo ?? [] });
  });

  test.each(ARCHIVES)('of a %s a demo that is damaged or of CS:GO if it has no other', async (_format, make) => {
    const beside = { name: '__MACOSX/._match.dem', content: note };
    for (const content of ['HL2DEMO\0', 'PBDEMS', 'removed']) {
      expect(await unpacked(make([{ name: 'match.dem', content: Buffer.from(content) }, beside]))).toBe(content);
    }
  });
});

describe('an archive with several demos', () => {
  const entries = [
    { name: 'liquid-vs-navi/m1-nuke.dem', content: Buffer.from('PBDEMS2\0one') },
    { name: 'liquid-vs-navi/m2-Mirage.dem', content: BODY },
    { name: 'old/m1-nuke.dem', content: Buffer.from('PBDEMS2\0old') },
    { name: 'm3.dem.bz2', content: BODY_BZ2 },
    { name: 'readme.txt', content: Buffer.alloc(9000) },
  ];
  const demos = entries.slice(0, 4).map(({ name }) => name);

  test.each(
    ARCHIVES.flatMap(([format, make]) =>
      [
        ['m2-Mirage.dem', TEXT],
        ['m2-mirage.dem', TEXT],
        ['liquid-vs-navi/m1-nuke.dem', 'PBDEMS2\0one'],
        ['old\\m1-nuke.dem', 'PBDEMS2\0old'],
        ['m3.dem', TEXT],
        ['m3.dem.bz2', TEXT],
      ].map(([wanted, content]) => [format, wanted, make, content] as const),
    ),
  )('%s: %s is chosen', async (_format, wanted, make, content) => {
    expect(await unpacked(make(entries), { wanted: wanted ?? null })).toBe(content);
  });

  test.each(
    ARCHIVES.flatMap(([format, make]) =>
      [null, 'm1-nuke.dem', 'm4.dem', 'readme.txt', '../m3.dem', ''].map((wanted) => [format, wanted, make] as const),
    ),
  )('%s: %j chooses none, and the demos are named', async (_format, wanted, make) => {
    const result = await decompress(make(entries), { wanted });
    expect(result).toMatchObject({ ok: false, code: 'decompress_failed', facts: { demos } });
    expect(result.ok ? '' : result.detail).toContain('liquid-vs-navi/m1-nuke.dem, liquid-vs-navi/m2-Mirage.dem');
    expect(await readdir(workDir)).toEqual(['download']);
  });

  test.each(ARCHIVES)('%s: one that is chosen comes with the names of all', async (_format, make) => {
    expect(await decompress(make(entries), { wanted: 'm3.dem' })).toMatchObject({ ok: true, demos });
    expect(await decompress(make(entries.slice(0, 1)))).toMatchObject({ ok: true, demos: demos.slice(0, 1) });
  });

  test('a choice reaches an archive in an archive; a demo without names ignores it', async () => {
    const inner = zip({ name: 'match.rar', content: rar(entries) });
    expect(await unpacked(inner, { wanted: 'm2-Mirage.dem' })).toBe(TEXT);
    expect(await unpacked(FORMATS.gzip, { wanted: 'm2-Mirage.dem' })).toBe(TEXT);
    expect(await unpacked(FORMATS.zip, { wanted: 'other.dem' })).toBe('decompress_failed');
  });

  test.each(ARCHIVES)('%s: a .gz of another demo under the same name is another', async (_format, make) => {
    const files = [
      { name: 'match.dem', content: BODY },
      { name: 'match.dem.gz', content: gzipSync(Buffer.concat([BODY, BODY])) },
    ];
    expect(await unpacked(make(files))).toBe('decompress_failed');
    expect(await unpacked(make(files), { wanted: 'match.dem' })).toBe(TEXT);
    expect(await unpacked(make(files), { wanted: 'match.dem.gz' })).toBe(TEXT.repeat(2));
  });

  test.each(ARCHIVES)('%s: all .gz of the same name are compared once, and within the limit', async (_format, make) => {
    const copies = ['a', 'b', 'c'].map((folder) => ({
      name: `${folder}/match.dem.gz`,
      content: Buffer.alloc(40_000, FORMATS.gzip),
    }));
    const compare = (maxBytes: number, wanted: string | null = null) =>
      decompress(make([MATCH, ...copies]), { wanted, limits: { maxBytes } });
    expect(await compare(119_999)).toMatchObject({ detail: expect.stringContaining('more than the 119999 bytes') });
    expect(await compare(120_000)).toMatchObject({ facts: { demos: ['match.dem', 'a/match.dem.gz'] } });
    expect(await compare(120_000, 'match.dem')).toMatchObject({ ok: true, bytes: BODY.length });
  });

  test('of several archives one can be chosen', async () => {
    const other = { name: 'b.zip', content: zip({ name: 'm1-nuke.dem', content: Buffer.from('PBDEMS2\0b') }) };
    const files = zip({ name: 'a.zip', content: FORMATS.zip }, other);
    expect(await decompress(files)).toMatchObject({ ok: false, facts: { demos: ['a.zip', 'b.zip'] } });
    expect(await unpacked(files, { wanted: 'a.zip' })).toBe(TEXT);
  });

  test('names are cleaned, and no more than twenty are told', async () => {
    const many = Array.from({ length: 30 }, (_, at) => ({
      name: `${at}\u001b[2J.dem`,
      content: Buffer.from(`PBDEMS2\0${at}`),
    }));
    const result = await decompress(rar(many));
    expect(result).toMatchObject({ ok: false, facts: { demos: expect.any(Array) } });
    const told = result.ok ? [] : (result.facts?.demos as string[]);
    expect(told).toHaveLength(20);
    expect(told.join()).not.toContain('\u001b');
  });
});

describe('the error of an unsupported archive names its kind and what to send', () => {
  const tar = Buffer.concat([BODY.subarray(0, 257), Buffer.from('ustar\u000000'), BODY]);
  tar.write('match.dem\0');
  const zipWith = (claimed: ZipEntry['claimed']) => zip({ name: 'a.dem', content: BODY, ...(claimed && { claimed }) });
  test.each([
    ['.7z', Buffer.from('377abcaf271c0004aaaaaaaaaaaaaaaa', 'hex'), { found: '7z' }, /^it is a \.7z.*\.rar/],
    ['.xz', Buffer.from('fd377a585a000004e6d6b446', 'hex'), { found: 'xz' }, /^it is a \.xz.*\.rar/],
    ['.tar', tar, { found: 'tar' }, /^it is a \.tar.*\.rar/],
    ['.tar.gz', gzipSync(tar), { found: 'tar' }, /^it is a \.tar.*\.rar/],
    ['.tar in a .zip', zip({ name: 'match.tar', content: tar }), { found: 'tar' }, /^it is a \.tar/],
    ['.zip with a password', zipWith({ flags: 1 }), { found: 'encrypted' }, /zip.*encrypted.*password/],
    ['.zip with strong encryption', zipWith({ flags: 0x41 }), { found: 'encrypted' }, /zip.*encrypted/],
    ['.zip with Deflate64', zipWith({ method: 9 }), { packed_with: 'Deflate64' }, /zip.*packed with Deflate64/],
    ['.zip with bzip2', zipWith({ method: 12 }), { packed_with: 'bzip2' }, /zip.*packed with bzip2/],
    ['.zip with LZMA', zipWith({ method: 14 }), { packed_with: 'LZMA' }, /zip.*packed with LZMA/],
    ['.zip with PKWARE 10', zipWith({ method: 10 }), { packed_with: 'method 10' }, /zip.*packed with method 10/],
    ['encrypted .rar', rar([{ ...MATCH, extra: rarEncryption() }]), { found: 'encrypted' }, /rar.*encrypted/],
    ['part of a .rar', rar([MATCH], 1), { found: 'split' }, /rar.*one part/],
  ])('%s', async (_what, file, facts, detail) => {
    const result = await decompress(file);
    expect(result).toEqual({ ok: false, code: 'decompress_failed', detail: expect.stringMatching(detail), facts });
    expect(JSON.stringify(result)).not.toContain('broken');
  });
});

test('an archive that was transferred in text mode is reported as damaged in transfer', async () => {
  const noise = Buffer.from(createHash('shake256', { outputLength: 9000 }).update('').digest());
  for (const file of [gzipSync(noise), zip({ name: 'match.dem', content: noise })]) {
    const sent = Buffer.from(file.toString('latin1').replaceAll('\n', '\r\n'), 'latin1');
    expect(await decompress(sent)).toEqual({
      ok: false,
      code: 'decompress_failed',
      detail: expect.stringContaining('archive is damaged in transfer'),
      facts: { found: 'crlf' },
    });
  }
});

describe('decompress_failed', () => {
  test.each(formats)('for %s cut off anywhere', async (name, file) => {
    for (const part of [0.1, 0.5, 0.9, 0.99]) {
      expect(await unpacked(file.subarray(0, Math.floor(file.length * part)))).toBe('decompress_failed');
    }
    // The last bytes of a RAR file are a mark that some programs leave out.
    if (name.startsWith('rar')) return;
    expect(await unpacked(file.subarray(0, file.length - 1))).toBe('decompress_failed');
  });

  test.each(formats)('for %s with a damaged byte in its data', async (_name, file) => {
    const damaged = Buffer.from(file);
    const middle = Math.floor(file.length / 2);
    damaged[middle] = (damaged[middle] ?? 0) ^ 0xff;
    expect(await unpacked(damaged)).toBe('decompress_failed');
  });

  test.each([
    ['a damaged gzip checksum', Buffer.from(FORMATS.gzip), -8],
    ['a damaged bzip2 checksum', Buffer.from(FORMATS.bzip2), -3],
    ['a damaged zstd checksum', Buffer.from(FORMATS.zstd), -1],
  ])('for %s', async (_name, file, at) => {
    file[file.length + at] = (file.at(at) ?? 0) ^ 0x55;
    expect(await unpacked(file)).toBe('decompress_failed');
  });

  test.each([
    ['gzip', FORMATS.gzip],
    ['bzip2', FORMATS.bzip2],
    ['zstd', FORMATS.zstd],
  ])('for a second part of %s that is cut off', async (_name, file) => {
    expect(await unpacked(Buffer.concat([file, file.subarray(0, file.length / 2)]))).toBe('decompress_failed');
  });

  test.each([
    ['without a demo among its files', ['a.txt', 'b.txt'].map((name) => ({ name, content: Buffer.from('hello') }))],
    ['that is empty', []],
    ['with another checksum than its data', [{ name: 'a.dem', content: BODY, claimed: { crc32: 7 } }]],
    ['with another size than its data', [{ name: 'a.dem', content: BODY, claimed: { bytes: BODY.length - 1 } }]],
    ['whose demo is encrypted', [{ name: 'a.dem', content: BODY, claimed: { flags: 1 } }]],
    ['with too many entries', Array.from({ length: 1001 }, (_, i) => ({ name: `${i}.dem`, content: BODY }))],
  ])('for a zip %s', async (_name, entries) => {
    expect(await unpacked(zip(...entries))).toBe('decompress_failed');
  });

  test.each(formats)('for %s that unpacks to more than is accepted; nothing of it stays on disk', async (_, file) => {
    expect(await unpacked(file, { limits: { maxBytes: BODY.length } })).toBe(TEXT);
    expect(await unpacked(file, { limits: { maxBytes: BODY.length - 1 } })).toBe('decompress_failed');
    expect(await readdir(workDir)).not.toContain('unpacked');
  });

  test('for bombs: far more comes out than went in', async () => {
    const zeros = Buffer.alloc(70_000_000);
    const br = brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
    expect(await unpacked(br, { codings: ['br'] })).toBe('decompress_failed');
    const bombs = [BOMB_BZ2, gzipSync(zeros, { level: 1 }), zstdCompressSync(zeros)];
    for (const bomb of bombs) expect(await unpacked(bomb)).toBe('decompress_failed');
    expect(await unpacked(zip({ name: 'a.dem', content: zeros }))).toBe('decompress_failed');
  });

  test('for archives nested deeper than anybody would', async () => {
    const deep = gzipSync(gzipSync(gzipSync(gzipSync(BODY))));
    expect(await unpacked(deep)).toBe('decompress_failed');
  });

  test('for what takes too long to unpack', async () => {
    expect(await unpacked(BOMB_BZ2, { limits: { timeoutMs: 1 } })).toBe('decompress_failed');
  });
});

test('a disk that cannot be written to is cs2_unavailable, which is retried', async () => {
  for (const [, file] of [...formats, ['plain', BODY] as const]) {
    const path = join(workDir, 'download');
    await writeFile(path, file);
    const signal = new AbortController().signal;
    const result = await decompressDemo({ path, workDir: join(workDir, 'missing'), signal });
    expect(result).toMatchObject({ ok: false, code: 'cs2_unavailable' });
  }
});

test('an abort ends the work with its reason', async () => {
  const controller = new AbortController();
  const work = decompress(BOMB_BZ2, { signal: controller.signal });
  controller.abort(new Error('the lease is lost'));
  await expect(work).rejects.toThrow('the lease is lost');
});
