import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  type GameServerRequest,
  type Get5Settings,
  get5Request,
  matchZyRequest,
  type SentDemo,
} from './game-server-request.ts';

export interface Sending extends Omit<SentDemo, 'fileName'> {
  readonly url: string;
  /** The path of the demo. */
  readonly file: string;
  /** By default that of `file`. */
  readonly fileName?: string;
}

/** How the plugin has understood the answer. Neither of them sends a demo twice, whatever the answer was. */
export interface SendOutcome {
  /** Any status from 200 to 299. get5 deletes its file then, if it is set to. */
  readonly isSuccess: boolean;
  /** Null if there was no answer. */
  readonly status: number | null;
  readonly body: string;
  /** The line in the server's console. */
  readonly log: string;
}

/**
 * Sends a demo as MatchZy 0.8.15 does: the whole file from memory in one request. .NET's HttpClient gives up after 100
 * seconds, and reads the answer only after it has written the body: a connection that is reset before is an exception.
 */
export async function sendAsMatchZy(sending: Sending): Promise<SendOutcome> {
  const { fileName, content } = await loaded(sending);
  try {
    const { status, body } = await post(sending.url, matchZyRequest({ ...sending, fileName }, content.length), content);
    const of = `for matchId: ${sending.matchId ?? -1} mapNumber: ${sending.mapNumber ?? 0} fileName: ${fileName}.`;
    return status < 300
      ? { isSuccess: true, status, body, log: `[UploadFileAsync] File upload successful ${of}` }
      : { ...refused(status, body), log: `[UploadFileAsync ERROR] Failed to upload file. Status code: ${status}` };
  } catch (error) {
    const log = `[UploadFileAsync FATAL] An error occurred: ${error instanceof Error ? error.message : error}`;
    return { isSuccess: false, status: null, body: '', log };
  }
}

/** Sends a demo as get5 0.15.0 does with the SteamWorks extension. A URL without a scheme gets `http://`. */
export async function sendAsGet5(sending: Sending & Get5Settings): Promise<SendOutcome> {
  const { fileName, content } = await loaded(sending);
  const url = /^http/i.test(sending.url) ? sending.url : `http://${sending.url}`;
  const failed = `Failed to upload demo '${sending.file}' to '${sending.url}'.`;
  try {
    const { status, body } = await post(url, get5Request({ ...sending, fileName }, content.length), content);
    return status < 300
      ? { isSuccess: true, status, body, log: `Demo request succeeded. HTTP status code: ${status}.` }
      : { ...refused(status, body), log: `${failed} HTTP status code: ${status}.` };
  } catch {
    const log = `${failed} Make sure your URL is enclosed in quotes.`;
    return { isSuccess: false, status: null, body: '', log };
  }
}

const refused = (status: number, body: string) => ({ isSuccess: false, status, body });

async function loaded({ file, fileName = basename(file) }: Sending) {
  return { fileName, content: await readFile(file) };
}

function post(
  url: string,
  { method, headers }: GameServerRequest,
  content: Uint8Array,
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const all = ['Host', new URL(url).host, ...Object.entries(headers).flat()];
    const sent = request(url, { method, headers: all }, (response) => {
      const written = sent.writableFinished || once(sent, 'finish');
      Promise.all([text(response), written]).then(
        ([body]) => resolve({ status: response.statusCode ?? 0, body }),
        reject,
      );
    });
    sent.on('error', reject);
    sent.on('close', () => sent.writableFinished || reject(new Error('The connection was closed.')));
    sent.end(content);
  });
}
