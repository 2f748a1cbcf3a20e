import { constants, crc32, deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { BODY, BODY_BZ2, BOMB_BZ2, rar, rar4, rarEncryption, rarLink, type ZipEntry, zip } from './archives.ts';

/** An archive that was made to break a host, and its expected result. */
export interface HostileArchive {
  readonly what: string;
  /** Made on demand: together they have some hundred megabytes. */
  readonly make: () => Buffer;
  /** `passed on`: not an archive for us. The parser then refuses it. */
  readonly end: 'decompress_failed' | 'passed on' | 'unpacked';
}

const MEGABYTE = 1 << 20;
const SKIPPABLE = Buffer.from('502a4d1800000000', 'hex');
const EMPTY_BZ2 = Buffer.from('425a683917724538509000000000', 'hex');
const zstd = (content: Buffer) => zstdCompressSync(content, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
const repeated = (part: Buffer, count: number): Buffer => Buffer.alloc(part.length * count, part);
const nested = (content: Buffer, layers: readonly ((inner: Buffer) => Buffer)[]): Buffer =>
  layers.reduce((inner, layer) => layer(inner), content);
const zipped = (content: Buffer): Buffer => zip({ name: 'match.dem', content });

/** Returns a zstd frame of blocks of a kind: `size` is what their headers say, `body` what follows each. */
function zstdBlocks(count: number, type: 0 | 1 | 2 | 3, size: number, body = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(3);
  header.writeUIntLE((size << 3) | (type << 1), 0, 3);
  const last = Buffer.from(header);
  last.writeUInt8((last[0] ?? 0) | 1, 0);
  const block = Buffer.concat([header, body]);
  return Buffer.concat([Buffer.from('28b52ffd0058', 'hex'), repeated(block, count - 1), last, body]);
}

/** Returns a zstd frame whose header claims a window or a content of that size. */
function zstdClaiming(descriptor: string): Buffer {
  return Buffer.from(`28b52ffd${descriptor}010000`, 'hex');
}

/** Members of .gz with nothing in them. */
const EMPTY_GZIP = gzipSync(Buffer.alloc(0));

/** Returns a .gz whose stored blocks hold nothing, five bytes each. */
function emptyStoredBlocks(count: number): Buffer {
  const blocks = repeated(Buffer.from('000000ffff', 'hex'), count);
  const end = Buffer.from('010000ffff0000000000000000', 'hex');
  return Buffer.concat([Buffer.from('1f8b0800000000000003', 'hex'), blocks, end]);
}

/** Returns a .gz whose header has a very long file name. */
function namedGzip(bytes: number): Buffer {
  const body = deflateRawSync(BODY);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(BODY), 0);
  trailer.writeUInt32LE(BODY.length, 4);
  const name = Buffer.concat([Buffer.alloc(bytes, 'n'), Buffer.alloc(1)]);
  return Buffer.concat([Buffer.from('1f8b0808000000000003', 'hex'), name, body, trailer]);
}

function patched(content: Buffer, patches: Readonly<Record<number, number>>): Buffer {
  const copy = Buffer.from(content);
  for (const [at, byte] of Object.entries(patches)) copy.writeUInt8(byte, (copy.length + Number(at)) % copy.length);
  return copy;
}

function claims(claimed: ZipEntry['claimed'], content = BODY): Buffer {
  return zip({ name: 'match.dem', content, ...(claimed && { claimed }) });
}

/** Returns a zip whose end mark claims other numbers. `at` is an offset in its 22 bytes. */
function endClaiming(at: number, value: number): Buffer {
  const archive = zipped(BODY);
  archive.writeUInt32LE(value, archive.length - 22 + at);
  return archive;
}

const zeros = (megabytes: number): Buffer => Buffer.alloc(megabytes * MEGABYTE);

export function hostileArchives(): HostileArchive[] {
  const failed = (what: string, make: () => Buffer): HostileArchive => ({ what, make, end: 'decompress_failed' });
  const passed = (what: string, make: () => Buffer): HostileArchive => ({ what, make, end: 'passed on' });
  const unpacked = (what: string, make: () => Buffer): HostileArchive => ({ what, make, end: 'unpacked' });
  const gz = gzipSync(BODY);
  const zst = zstd(BODY);
  const zp = zipped(BODY);
  const match = { name: 'match.dem', content: BODY };
  return [
    // RAR.
    failed('.rar: one part of a split archive', () => rar([match], 1)),
    failed('.rar 4: one part of a split archive', () => rar4([match], 1)),
    failed('.rar: a dictionary of 4 GB', () => rar([{ ...match, claimed: { dictionary: 15 } }])),
    failed('.rar: a dictionary of 128 MB', () => rar([{ ...match, claimed: { dictionary: 10 } }])),
    unpacked('.rar: a dictionary of 64 MB', () => rar([{ ...match, claimed: { dictionary: 9 } }])),
    failed('.rar: a link in a demo’s place', () => rar([{ ...match, extra: rarLink('/etc/passwd') }])),
    failed('.rar: an encrypted demo', () => rar([{ ...match, extra: rarEncryption() }])),
    failed('.rar: a folder that is called like a demo', () => rar([{ ...match, claimed: { isFolder: true } }])),
    unpacked('.rar: a path out of the folder', () => rar([{ ...match, name: '../../match.dem' }])),
    unpacked('.rar: an absolute path', () => rar([{ ...match, name: '/etc/match.dem' }])),
    unpacked('.rar: a path of Windows', () => rar([{ ...match, name: 'c:\\match.dem' }])),
    unpacked('.rar: a claimed size of a terabyte', () => rar([{ ...match, claimed: { bytes: 2 ** 40 } }])),
    failed('.rar: 1,001 files', () =>
      rar(Array.from({ length: 1001 }, (_, i) => ({ name: `${i}.dem`, content: Buffer.alloc(0) }))),
    ),
    failed('.rar: 80 MB of zeros in a .gz in it', () => rar([{ name: 'a.dem.gz', content: gzipSync(zeros(80)) }])),
    failed('.rar: four archives in each other', () =>
      nested(
        BODY,
        Array.from({ length: 4 }, () => (content) => rar([{ name: 'match.dem', content }])),
      ),
    ),
    failed('.rar: only its signature', () => rar([match]).subarray(0, 8)),
    ...Array.from({ length: 60 }, (_, turn) =>
      // Any end is right, but the host must go on; the checksums of headers make it an error.
      failed(`.rar: byte ${turn + 8} of its headers is wrong`, () => {
        const file = rar([match]);
        file[turn + 8] = (file[turn + 8] ?? 0) ^ (turn % 2 === 0 ? 0xff : 0x55);
        return file;
      }),
    ),
    // Bombs.
    failed('.gz: 80 MB of zeros', () => gzipSync(zeros(80))),
    failed('.gz: the same in eight members', () => repeated(gzipSync(zeros(10)), 8)),
    failed('.bz2: 70 MB of zeros in 82 bytes', () => BOMB_BZ2),
    failed('.bz2: a thousand of those', () => repeated(BOMB_BZ2, 1000)),
    failed('.zst: 80 MB of zeros', () => zstd(zeros(80))),
    failed('.zst: runs of 128 KB in four bytes each', () => zstdBlocks(200_000, 1, 131_072, Buffer.alloc(1))),
    failed('.zip: 80 MB of zeros', () => zipped(zeros(80))),
    failed('.gz in .gz: a bomb in a bomb', () => gzipSync(repeated(gzipSync(zeros(5)), 100))),
    failed('.bz2 in .zip: a bomb in a demo’s place', () => zip({ name: 'match.dem.bz2', content: BOMB_BZ2 })),
    failed('.zst in .gz: a bomb', () => gzipSync(zstd(zeros(80)))),
    // Much to read, and nothing in it.
    failed('.gz: 200,000 members of nothing', () => Buffer.concat([repeated(EMPTY_GZIP, 200_000), gz])),
    failed('.gz: four million blocks of nothing, cut off', () => emptyStoredBlocks(4_000_000).subarray(0, -9)),
    failed('.gz: a file name of 20 MB', () => namedGzip(20 * MEGABYTE)),
    failed('.bz2: 200,000 streams of nothing', () => repeated(EMPTY_BZ2, 200_000)),
    failed('.zst: 7 million blocks of nothing', () => zstdBlocks(7_000_000, 0, 0)),
    failed('.zst: 20,000 frames of nothing', () => repeated(zstd(Buffer.alloc(0)), 20_000)),
    failed('.zst: two million skippable frames', () => repeated(SKIPPABLE, 2_000_000)),
    failed('.zst: nothing but one skippable frame', () => SKIPPABLE),
    failed('.zip: 1,001 files', () =>
      zip(...Array.from({ length: 1001 }, (_, i) => ({ name: `${i}.dem`, content: Buffer.alloc(0) }))),
    ),
    unpacked('.zip: 1,000 names of 60,000 characters', () =>
      zip(
        { name: 'match.dem', content: BODY },
        ...Array.from({ length: 999 }, () => ({ name: 'n'.repeat(60_000), content: Buffer.alloc(0) })),
      ),
    ),
    // Wrong claims.
    failed('.gz: another checksum', () => patched(gz, { '-8': 0 })),
    failed('.gz: another length', () => patched(gz, { '-4': 0 })),
    failed('.gz: a method that does not exist', () => patched(gz, { 2: 7 })),
    failed('.bz2: another checksum', () => patched(BODY_BZ2, { '-3': 0x5a })),
    failed('.bz2: a block size of nothing', () => Buffer.concat([Buffer.from('BZh1'), Buffer.alloc(4000, 0x31)])),
    failed('.zst: another checksum', () => patched(zst, { '-1': (zst.at(-1) ?? 0) ^ 1 })),
    failed('.zst: a window of 3.75 TB', () => zstdClaiming('00ff')),
    failed('.zst: a content of 16 exabytes', () => zstdClaiming('e0ffffffffffffffff')),
    failed('.zst: a dictionary that nobody has', () => zstdClaiming('035801020304')),
    failed('.zst: a block of the reserved kind', () => zstdBlocks(2, 3, 8, Buffer.alloc(8))),
    failed('.zst: a block that goes on beyond the file', () => zstdBlocks(1, 0, 2_000_000)),
    failed('.zip: another checksum', () => claims({ crc32: 7 })),
    failed('.zip: more bytes than there are', () => claims({ bytes: BODY.length + 1 })),
    failed('.zip: fewer bytes than there are', () => claims({ bytes: BODY.length - 1 })),
    failed('.zip: four gigabytes', () => claims({ bytes: 0xfffffffe })),
    failed('.zip: sixteen exabytes', () => claims({ bytes: 0xffffffff })),
    failed('.zip: encrypted', () => claims({ flags: 1 })),
    failed('.zip: a method that is not known', () => claims({ method: 99 })),
    failed('.zip: stored, but deflated', () => claims({ method: 0 })),
    failed('.zip: 65,535 entries', () => endClaiming(8, 0xffffffff)),
    failed('.zip: a directory beyond the file', () => endClaiming(16, 0x7fffffff)),
    failed('.zip: a comment that is not there', () => patched(zp, { '-2': 0xff, '-1': 0xff })),
    // Links, and paths to other folders: only one file is written, under our name.
    failed('.zip: a link to /etc/passwd', () =>
      zip({ name: 'match.dem', content: Buffer.from('/etc/passwd'), claimed: { mode: 0o120777 } }),
    ),
    unpacked('.zip: a link beside the demo', () =>
      zip(
        { name: 'big.dem', content: Buffer.alloc(9000, '/'), claimed: { mode: 0o120777 } },
        { name: 'match.dem', content: BODY },
      ),
    ),
    unpacked('.zip: ../../match.dem', () => zip({ name: '../../match.dem', content: BODY })),
    unpacked('.zip: /etc/match.dem', () => zip({ name: '/etc/match.dem', content: BODY })),
    // Nesting.
    failed('.gz four deep', () => nested(BODY, [gzipSync, gzipSync, gzipSync, gzipSync])),
    failed('.gz forty deep', () =>
      nested(
        BODY,
        Array.from({ length: 40 }, () => gzipSync),
      ),
    ),
    unpacked('.zip in .zst in .gz', () => nested(BODY, [zipped, zstd, gzipSync])),
    // Cut off.
    ...[gz, BODY_BZ2, zst, zp].flatMap((file, i) => {
      const name = ['.gz', '.bz2', '.zst', '.zip'][i];
      return [0.3, 0.97].map((part) =>
        failed(`${name}: cut off after ${part * 100} %`, () => file.subarray(0, Math.floor(file.length * part))),
      );
    }),
    failed('.gz: two bytes', () => gz.subarray(0, 2)),
    failed('.zst: four bytes', () => zst.subarray(0, 4)),
    // Formats of no demo server, which are not opened.
    failed('.xz', () => Buffer.concat([Buffer.from('fd377a585a00', 'hex'), Buffer.alloc(1000)])),
    failed('.7z', () => Buffer.concat([Buffer.from('377abcaf271c', 'hex'), Buffer.alloc(1000)])),
    failed('.rar with nothing in it', () => Buffer.concat([Buffer.from('526172211a0700', 'hex'), Buffer.alloc(1000)])),
    passed('a text', () => Buffer.alloc(1000, 'tickreel ')),
    failed('.tar with a link', () =>
      Buffer.concat([
        ...[Buffer.from('match.dem'), Buffer.alloc(147), Buffer.from('2/etc/passwd'), Buffer.alloc(89)],
        ...[Buffer.from('ustar'), Buffer.alloc(1000)],
      ]),
    ),
  ];
}
