/** Requests of game servers, written from the sources of their plugins. */

export interface SentDemo {
  readonly fileName: string;
  /** The header that the server's operator has configured. */
  readonly header?: readonly [key: string, value: string] | undefined;
  readonly matchId?: string | number | undefined;
  readonly mapNumber?: number | undefined;
  readonly roundNumber?: number | undefined;
}

export interface GameServerRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * MatchZy 0.8.15, Utility.cs, UploadFileAsync. The body is the .dem itself. Until 0.5.1 it was a zip, of type
 * application/zip; documentation/docs/gotv.md still says so. .NET throws for a header beyond ASCII, such as a team's
 * name in the file's name: MatchZy then logs a line and sends nothing.
 * https://github.com/shobhit-pathak/MatchZy/blob/0.8.15/Utility.cs
 */
export function matchZyRequest(demo: SentDemo, bytes: number): GameServerRequest {
  const { fileName, header, matchId = -1, mapNumber = 0, roundNumber = 0 } = demo;
  const facts = { FileName: fileName, MatchId: matchId, MapNumber: mapNumber, RoundNumber: roundNumber };
  const named = (plugin: string) => Object.entries(facts).map(([key, value]) => [`${plugin}-${key}`, String(value)]);
  const headers = {
    ...(header?.[0] && header[1] ? { [header[0]]: header[1] } : {}),
    'Content-Type': 'application/octet-stream',
    ...Object.fromEntries([...named('MatchZy'), ...named('Get5')]),
    'Content-Length': String(bytes),
  };
  const isAscii = Object.values<string>(headers).every((value) => /^[\x20-\x7e]*$/.test(value));
  if (!isAscii) throw new Error('Request headers must contain only ASCII characters.');
  return { method: 'POST', headers };
}

/**
 * get5 0.15.0, scripting/get5/recording.sp, UploadDemoToServer, and documentation/docs/gotv.md. It sends no round, and
 * leaves the ids of match and server out if they are empty. `usePut` is get5_demo_upload_use_put.
 * https://github.com/splewis/get5/blob/v0.15.0/scripting/get5/recording.sp
 */
export function get5Request(
  { fileName, header, matchId = '', mapNumber = 0, serverId = '', usePut = false }: SentDemo & Get5Settings,
  bytes: number,
): GameServerRequest {
  const headers = {
    'User-Agent': 'SourceMod Get5 0.15.0+https://github.com/splewis/get5',
    'Get5-Version': '0.15.0',
    ...(serverId === '' ? {} : { 'Get5-ServerId': serverId }),
    'Content-Type': 'application/octet-stream',
    'Get5-FileName': fileName,
    ...(matchId === '' ? {} : { 'Get5-MatchId': String(matchId) }),
    'Get5-MapNumber': String(mapNumber),
    ...(header?.[0] && header[1] ? { [header[0]]: header[1] } : {}),
    'Content-Length': String(bytes),
  };
  return { method: usePut ? 'PUT' : 'POST', headers };
}
export interface Get5Settings {
  readonly serverId?: string | undefined;
  readonly usePut?: boolean | undefined;
}
