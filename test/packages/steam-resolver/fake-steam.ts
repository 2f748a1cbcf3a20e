import { createRequire } from 'node:module';
import SteamUser from 'steam-user';

const require = createRequire(import.meta.url);
const EMsg = require('steam-user/enums/EMsg.js') as Record<string, number>;

/** A type of the game's messages, by the library's own .proto file (globaloffensive 3.3.0). */
export interface MessageType {
  encode(message: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): { toJSON(): Record<string, unknown> };
}
const PROTO = require.resolve('globaloffensive/protobufs/cstrike15_gcmessages.proto');
const root = new (require('protobufjs').Root)().loadSync(PROTO, { keepCase: true });
const messageType = (name: string): MessageType => root.lookupType(name);

const CLIENT_HELLO = 4006;
const CLIENT_WELCOME = 4004;
const MATCH_LIST = 9139;
const REQUEST_FULL_GAME_INFO = 9147;
const PROTOBUF = 0x80000000;

/** What the game's coordinator is asked for. */
export interface AskedMatch {
  readonly matchid: string;
  readonly outcomeid: string;
  readonly token: number;
}

/**
 * The real client of Steam, signed in to nothing: what it would send goes to a stand-in of the game's coordinator,
 * whose answers come as the bytes of messages. `answer`: the matches to answer with; null for no answer.
 */
export function createFakeSteam(answer: (asked: AskedMatch) => readonly object[] | null) {
  const steam = new SteamUser({ dataDirectory: null });
  const asked: AskedMatch[] = [];
  const inner = steam as unknown as {
    steamID: object | null;
    _send(header: number | { msg: number }, body: { msgtype: number; payload: Buffer }): void;
    _handlerManager: { emit(user: object, message: number | undefined, body: object): void };
  };
  inner.steamID = {};
  inner._send = (header, { msgtype, payload }) => {
    if (typeof header === 'number' || header.msg !== EMsg.ClientToGC) return;
    const type = (msgtype & ~PROTOBUF) >>> 0;
    const body = payload.subarray(8 + payload.readInt32LE(4));
    if (type === CLIENT_HELLO) return receive(CLIENT_WELCOME, new Uint8Array());
    if (type !== REQUEST_FULL_GAME_INFO) return;
    const request = messageType('CMsgGCCStrike15_v2_MatchListRequestFullGameInfo').decode(body).toJSON();
    asked.push(request as unknown as AskedMatch);
    const matches = answer(request as unknown as AskedMatch);
    if (matches) receive(MATCH_LIST, messageType('CMsgGCCStrike15_v2_MatchList').encode({ matches }).finish());
  };
  /** As a message of Steam arrives: four bytes of type, four of the header's length, no header, the message. */
  function receive(type: number, message: Uint8Array): void {
    const head = Buffer.alloc(8);
    head.writeUInt32LE((type | PROTOBUF) >>> 0, 0);
    const body = { appid: 730, msgtype: (type | PROTOBUF) >>> 0, payload: Buffer.concat([head, message]) };
    setImmediate(() => inner._handlerManager.emit(steam, EMsg.ClientFromGC, body));
  }
  return {
    ...{ steam, asked },
    signIn: () => steam.emit('loggedOn', {} as never, {} as never),
    signOut: () => {
      inner.steamID = null;
      steam.emit('disconnected', 3, 'NoConnection');
    },
  };
}
