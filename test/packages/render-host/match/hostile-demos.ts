import { DEMO_COMMAND, PREAMBLE_BYTES } from '#demo-format/container.ts';
import { frame, type NetMessage, packetFrame } from '#demo-writer/format/container.ts';
import { gameEventMessage } from '#demo-writer/format/game-event-messages.ts';
import { encodeMessage } from '#demo-writer/format/messages.ts';
import { usualWireId } from '#demo-writer/format/recording.ts';
import { composeMatch, encodeDemo, type MatchOutline, type RecordingOptions } from '#demo-writer/index.ts';
import type { ScriptedEvent } from '#demo-writer/script/game-events.ts';
import type { ErrorCode } from '#domain/failure/codes.ts';
import { unpack } from '#render-host/source2/frames.ts';

/** A recording that was made to break a parser, and its expected result. `ok`: it is read, within its limits. */
export interface HostileDemo {
  readonly what: string;
  readonly make: () => Buffer;
  readonly end: 'ok' | Extract<ErrorCode, 'demo_failed_parse' | 'demo_incompatible'>;
  /** Takes hundreds of megabytes or many seconds: for the long run. */
  readonly isHeavy?: true;
}

const MEGABYTE = 1 << 20;
/** Before the first packet of the match. */
const EARLY = 3;

function recorded(outline: MatchOutline = { lastTick: 200 }, options: RecordingOptions = {}): Buffer {
  return Buffer.from(encodeDemo(composeMatch(outline), options));
}

/** Returns the file with further frames before the first packet of its match. */
function withFrames(frames: readonly Uint8Array[], base = recorded()): Buffer {
  const at = framesOf(base).find(({ command }) => command === DEMO_COMMAND.packet)?.start ?? base.length;
  return Buffer.concat([base.subarray(0, at), ...frames, base.subarray(at)]);
}

const packets = (...messages: readonly NetMessage[]): Buffer =>
  withFrames(messages.map((message) => packetFrame(DEMO_COMMAND.signonPacket, -1, [message])));

export interface RawFrame {
  readonly command: number;
  readonly start: number;
  readonly payloadAt: number;
  readonly end: number;
}

/** Returns the positions of the frames of a complete file. */
export function framesOf(file: Uint8Array): RawFrame[] {
  const frames: RawFrame[] = [];
  for (let at = PREAMBLE_BYTES; at < file.length; ) {
    const start = at;
    const [command = 0, , bytes = 0] = [0, 1, 2].map(() => {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = file[at++] ?? 0;
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80) return value >>> 0;
      }
    });
    frames.push({ command: command & 63, start, payloadAt: at, end: at + bytes });
    at += bytes;
  }
  return frames;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) | 128);
  }
}

/** A frame as in the file, with any payload. */
const raw = (command: number, tick: number, payload: Uint8Array): Buffer =>
  Buffer.concat([varint(command), varint(tick >>> 0), varint(payload.length), payload]);

/** A packet without a message. */
const EMPTY_PACKET = Buffer.from('1a00', 'hex');
const emptyPackets = (ticks: readonly number[]): Buffer[] =>
  ticks.map((tick) => raw(DEMO_COMMAND.packet, tick, EMPTY_PACKET));

const table = (fields: Record<string, unknown>): NetMessage => [
  'CSVCMsg_CreateStringTable',
  { name: 'userinfo', num_entries: 1, flags: 0, user_data_fixed_size: false, using_varint_bitcounts: true, ...fields },
];

/** Returns the fields of one class, `count` of them; `self`: each holds the class itself. */
function serializer(count: number, type: string, self: boolean): Buffer {
  const tables = encodeMessage('CSVCMsg_FlattenedSerializer', {
    symbols: ['CCSPlayerPawn', type, 'm_field'],
    fields: [
      {
        var_type_sym: 1,
        var_name_sym: 2,
        ...(self ? { field_serializer_name_sym: 0, field_serializer_version: 0 } : {}),
      },
    ],
    serializers: [{ serializer_name_sym: 0, serializer_version: 0, fields_index: new Array(count).fill(0) }],
  });
  const data = Buffer.concat([varint(tables.length), tables]);
  const classes = encodeMessage('CDemoClassInfo', { classes: [{ class_id: 1, network_name: 'CCSPlayerPawn' }] });
  const entities: NetMessage = [
    'CSVCMsg_PacketEntities',
    // One entity of class 1 that is created: index, command, class and serial, as bits.
    { updated_entries: 1, legacy_is_delta: false, entity_data: Buffer.from('20010000000000000000', 'hex') },
  ];
  return withFrames([
    frame(DEMO_COMMAND.sendTables, -1, encodeMessage('CDemoSendTables', { data })),
    frame(DEMO_COMMAND.classInfo, -1, classes),
    packetFrame(DEMO_COMMAND.packet, EARLY, [entities]),
  ]);
}

const kills = (count: number) => Array.from({ length: count }, () => ({ tick: 100, attacker: 0, victim: 5 }));

/** Returns so many of one event, in packets of a thousand. */
function events(count: number, event: { readonly name: string; readonly values: object }): Buffer {
  const message = gameEventMessage(event as ScriptedEvent, { wireId: usualWireId, pawnHandle: () => 0 });
  const packetOf = (size: number) => packetFrame(DEMO_COMMAND.packet, EARLY, new Array(size).fill(message));
  return withFrames([...new Array(Math.floor(count / 1000)).fill(packetOf(1000)), packetOf(count % 1000)]);
}

const range = (count: number, step: number, from = 1): number[] =>
  Array.from({ length: count }, (_, i) => from + i * step);

export const HOSTILE_DEMOS: readonly HostileDemo[] = [
  { what: 'a CS:GO demo of 24 bytes', make: () => Buffer.from(`HL2DEMO\0${'.'.repeat(16)}`), end: 'demo_incompatible' },
  { what: 'the magic alone', make: () => Buffer.from('PBDEMS2\0'), end: 'demo_failed_parse' },
  {
    what: 'a frame of 65 MB',
    make: () => withFrames([raw(DEMO_COMMAND.packet, EARLY, Buffer.alloc(65 * MEGABYTE))]),
    end: 'demo_failed_parse',
  },
  {
    what: 'a frame that claims to unpack to 4 GB',
    make: () => withFrames([raw(DEMO_COMMAND.packet | 64, EARLY, Buffer.from('ffffffff0f00', 'hex'))]),
    end: 'demo_failed_parse',
  },
  {
    what: 'ten bytes that claim to unpack to 60 MB',
    make: () =>
      withFrames([raw(DEMO_COMMAND.packet | 64, EARLY, Buffer.concat([varint(60 * MEGABYTE), Buffer.alloc(9)]))]),
    end: 'demo_failed_parse',
  },
  {
    what: 'a last packet at tick 1,990,000',
    make: () => recorded(undefined, { jumps: [{ atTick: 190, by: 1_990_000 }] }),
    end: 'ok',
  },
  {
    what: 'a last packet at tick 2,147,483,647',
    make: () => withFrames(emptyPackets([1, 0x7fffffff])),
    end: 'demo_failed_parse',
  },
  {
    what: '2,000 jumps of 100 ticks',
    make: () => withFrames(emptyPackets(range(2000, 100))),
    end: 'demo_failed_parse',
  },
  {
    what: 'eight hours of a packet each second',
    make: () => withFrames(emptyPackets(range(28_800, 64))),
    end: 'ok',
    isHeavy: true,
  },
  {
    what: 'five million frames of nothing',
    make: () => withFrames([Buffer.alloc(15_000_000, Buffer.from('030100', 'hex'))]),
    end: 'ok',
  },
  {
    what: 'packets that go back in time',
    make: () => withFrames(emptyPackets(range(500, 1).reverse())),
    end: 'demo_failed_parse',
  },
  {
    what: 'a tick that lasts ten seconds',
    make: () => recorded(undefined, { tickRate: 0.1 }),
    end: 'demo_failed_parse',
  },
  { what: 'a billion ticks a second', make: () => recorded(undefined, { tickRate: 1e9 }), end: 'demo_failed_parse' },
  { what: 'an infinite tick', make: () => recorded(undefined, { tickRate: 0 }), end: 'demo_failed_parse' },
  {
    what: '10,001 kills in one tick',
    make: () => recorded({ kills: kills(10_001), lastTick: 200 }),
    end: 'ok',
  },
  { what: '10,000 kills in one tick', make: () => recorded({ kills: kills(10_000), lastTick: 200 }), end: 'ok' },
  {
    what: '20,001 grenades',
    make: () => events(20_001, { name: 'hegrenade_detonate', values: { userid: 1, entityid: 1, x: 0, y: 0, z: 0 } }),
    end: 'demo_failed_parse',
  },
  {
    what: 'a bomb that is defused 20,001 times',
    make: () => events(20_001, { name: 'bomb_defused', values: { userid: 1, site: 1 } }),
    end: 'demo_failed_parse',
  },
  {
    what: '700,000 shots: more than is handed over',
    make: () =>
      events(700_000, { name: 'weapon_fire', values: { userid: 1, weapon: 'w'.repeat(32), silenced: false } }),
    end: 'demo_failed_parse',
    isHeavy: true,
  },
  {
    what: 'a class of number 2,147,483,647',
    make: () =>
      withFrames([
        frame(
          DEMO_COMMAND.classInfo,
          -1,
          encodeMessage('CDemoClassInfo', { classes: [{ class_id: 0x7fffffff, network_name: 'CCSPlayerPawn' }] }),
        ),
      ]),
    end: 'demo_failed_parse',
  },
  {
    what: 'a class that holds itself forty times',
    make: () => serializer(40, 'CPart*', true),
    end: 'demo_failed_parse',
  },
  { what: 'a class of a million fields', make: () => serializer(1_000_001, 'int32', false), end: 'demo_failed_parse' },
  {
    what: 'a type of 20,000 blanks',
    make: () => serializer(1, `a${' '.repeat(20_000)}<`, false),
    end: 'demo_failed_parse',
  },
  {
    what: 'send tables that claim 4 GB',
    make: () =>
      withFrames([frame(DEMO_COMMAND.sendTables, -1, encodeMessage('CDemoSendTables', { data: varint(0xffffffff) }))]),
    end: 'demo_failed_parse',
  },
  {
    what: 'a string table of values of 2 Gbit',
    make: () =>
      packets(
        table({ user_data_fixed_size: true, user_data_size_bits: 0x7fffffff, string_data: Buffer.alloc(1000, 0xff) }),
      ),
    end: 'demo_failed_parse',
  },
  {
    what: 'a string table of two billion entries',
    make: () => packets(table({ num_entries: 0x7fffffff, string_data: Buffer.alloc(1000) })),
    end: 'demo_failed_parse',
  },
  {
    what: 'a string table whose indices go on for ever',
    make: () => packets(table({ num_entries: 100_000, string_data: Buffer.alloc(MEGABYTE, 0x55) })),
    end: 'demo_failed_parse',
  },
  {
    what: 'two billion changes in one packet',
    make: () =>
      withFrames([
        packetFrame(DEMO_COMMAND.packet, EARLY, [
          [
            'CSVCMsg_PacketEntities',
            { updated_entries: 0x7fffffff, legacy_is_delta: false, entity_data: Buffer.alloc(1000) },
          ],
        ]),
      ]),
    end: 'ok',
  },
  {
    what: 'two billion classes',
    make: () => packets(['CSVCMsg_ServerInfo', { max_classes: 0x7fffffff, tick_interval: 1 / 64 }]),
    end: 'demo_failed_parse',
  },
  {
    what: 'groups a million deep',
    make: () => withFrames([raw(DEMO_COMMAND.fullPacket, EARLY, Buffer.alloc(MEGABYTE, 0x2b))]),
    end: 'demo_failed_parse',
  },
  {
    what: 'a name of a megabyte of control characters',
    make: () =>
      recorded({ lastTick: 200, players: [player(`\u001b[2J\u202e${'\u0007'.repeat(MEGABYTE)}`, 0), player('B', 1)] }),
    end: 'ok',
  },
  {
    what: 'a map of a megabyte',
    make: () => recorded({ lastTick: 200, map: `de_${'\u009b'.repeat(MEGABYTE)}` }),
    end: 'ok',
  },
  {
    what: 'a game named by an escape sequence',
    make: () => recorded({ lastTick: 200, gameDirectory: '/srv/\u001b]0;pwned\u0007\u009b2J' }),
    end: 'demo_incompatible',
  },
  { what: 'a million settings of the server', make: () => withFrames([convars(1_000_000)]), end: 'ok' },
];

function player(name: string, userId: number): NonNullable<MatchOutline['players']>[number] {
  const [like] = composeMatch({}).players;
  if (like === undefined) throw new Error('a composed match has players');
  return { ...like, name, userId, steamId: `${BigInt(like.steamId) + BigInt(userId)}` };
}

function convars(count: number): Uint8Array {
  const cvars = new Array(count).fill({ name: 'a', value: 'b' });
  return packetFrame(DEMO_COMMAND.signonPacket, -1, [['CNETMsg_SetConVar', { convars: { cvars } }]]);
}

/** A number from 0 up to, not including, `most`. */
type Random = (most: number) => number;

/** Numbers that are the same for the same seed: mulberry32. */
function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return (most) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * most);
  };
}

const EXTREMES = [0, 0x7f, 0x80, 0xff];

/** Changes some bytes in place. */
function damage(bytes: Uint8Array, random: Random): Uint8Array {
  if (bytes.length === 0) return bytes;
  for (let times = 1 + random(8); times > 0; times--) {
    const at = random(bytes.length);
    const kind = random(3);
    if (kind === 0) bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
    else if (kind === 1) bytes[at] = random(256);
    else bytes.fill(EXTREMES[random(EXTREMES.length)] ?? 0, at, Math.min(bytes.length, at + 1 + random(16)));
  }
  return bytes;
}

/** Changes the unpacked content of a frame, and writes it as a valid frame. */
function damageFrame(file: Buffer, random: Random): Buffer {
  const frames = framesOf(file);
  // The frames before the match determine how all others are read, and are few.
  const found = frames[random(2) === 0 ? random(Math.min(frames.length, 14)) : random(frames.length)];
  if (found === undefined) return file;
  const { command, start, payloadAt, end } = found;
  const isCompressed = ((file[start] ?? 0) & 64) !== 0;
  const packed = file.subarray(payloadAt, end);
  const payload = isCompressed ? unpack(packed) : Uint8Array.from(packed);
  const tick = random(10) === 0 ? random(2 ** 31) : 1 + random(200);
  return Buffer.concat([file.subarray(0, start), frame(command, tick, damage(payload, random)), file.subarray(end)]);
}

/** Moves, doubles or leaves out whole frames. */
function shuffle(file: Buffer, random: Random): Buffer {
  const frames = framesOf(file);
  const [a, b] = [frames[random(frames.length)], frames[random(frames.length)]];
  if (a === undefined || b === undefined) return file;
  const piece = file.subarray(a.start, a.end);
  const without = Buffer.concat([file.subarray(0, a.start), file.subarray(a.end)]);
  const kind = random(3);
  if (kind === 0) return without;
  return Buffer.concat([file.subarray(0, b.start), piece, file.subarray(b.start)]);
}

/** Changes a recording at random, the same for the same seed. */
export function mutateDemo(base: Buffer, seed: number): Buffer {
  const random = randomOf(seed);
  let file: Buffer = Buffer.from(base);
  const kind = random(10);
  if (kind < 2) damage(file, random);
  else if (kind < 8) file = damageFrame(file, random);
  else if (kind < 9) file = shuffle(file, random);
  else file = file.subarray(0, random(file.length));
  return file;
}
