import * as z from 'zod';
import { type AttemptResult, discordResult } from '#domain/job/delivery.ts';
import { DAY_MS } from '#domain/job/metering.ts';
import { advanceRun } from '#domain/job/rule-run.ts';
import type { Schedule } from '#domain/job/schedule.ts';
import type { AddressPolicy } from '#domain/lib/address-policy.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { byteLength } from '#platform/digest.ts';
import type { Log } from '#platform/log.ts';
import {
  attachable,
  discordEdit,
  discordMessage,
  discordWebhook,
  messageUrl,
  type PostedClip,
} from '#protocol/job/discord.ts';
import type { Database } from '#storage/lib/database.ts';
import { insertAudit } from '#storage/operate/operators.ts';
import { selectOpenRuns, storeRun } from '#storage/rule/rule-runs.ts';
import { noteMessage, selectMessage, selectPost } from '#storage/rule/rules.ts';
import { callOut } from '../lib/call-out.ts';

/** How often a change is tried again that another isolate came before. */
const TRIES = 5;

/** Notes that Discord has taken the post of a run, or has refused it for good. */
export async function notePosted(
  database: Database,
  schedule: Schedule,
  runId: string,
  fault: string | null,
): Promise<void> {
  const now = Date.now();
  for (let tries = 0; tries < TRIES; tries++) {
    const [open] = await selectOpenRuns(database, { runId });
    if (!open) return;
    const given = { now, schedule, made: 1, hasPost: true, hasWebhook: false, newId: () => '' };
    const change = advanceRun(open.run, { type: 'post-ended', fault }, given);
    if (change.run === open.run && !change.failures) return;
    if (await storeRun(database, open, change, { now, keyClips: 0 })) return;
  }
}

interface PostContext {
  readonly database: Database;
  readonly files: R2Bucket;
  readonly log: Log;
  readonly settings: Omit<AddressPolicy, 'acceptedDomains'> & { readonly baseUrl: string; readonly schedule: Schedule };
}

const Message = z.looseObject({ id: z.string() });
/** The answer for a message that is gone (opcodes-and-status-codes.mdx). */
const UnknownMessage = z.looseObject({ code: z.literal(10_008) });

/** Files take longer than a message alone. */
const TIMEOUT_MS = 10_000;
const FILES_TIMEOUT_MS = 60_000;

/**
 * Prepares one attempt to post the clips of a rule's run at Discord, at the rule's present address. Resolves with null
 * if there is nothing to post any more, else with the bytes that it sends and a function that resolves with the outcome and never
 * rejects.
 */
export async function prepareDiscord(
  { database, files, settings, log }: PostContext,
  runId: string,
): Promise<{ readonly bytes: number; readonly send: () => Promise<AttemptResult> } | null> {
  const clips = await selectPost(database, runId);
  const webhook = discordWebhook(clips[0]?.discordUrl ?? '', settings.allowPrivateAddresses);
  if (!webhook) return null;
  const { baseUrl } = settings;
  const message = discordMessage(clips, baseUrl);
  const keepMessage = async (address: string) => {
    const ids = clips.map(({ id }) => id);
    const note = () => noteMessage(database, ids, address);
    try {
      await note().catch(note).catch(note);
      // A clip that was deleted while the message was sent is still in it. Nothing tries later.
      const gone = (await selectMessage(database, runId)).filter(({ isReady }) => !isReady);
      for (const { id } of gone) await withdrawClip({ database, settings }, runId, id, 0);
    } catch (error) {
      const lost = { run: runId, clips: ids.join(' ') };
      const reason = reasonOf(error);
      log('a message in Discord keeps clips that are deleted', { ...lost, error: reason });
      await noteLeft(database, lost, `a message in Discord keeps deleted clips: ${reason}`, null).catch(() => {});
    }
  };
  const call = async (attached: readonly PostedClip[], text = message): Promise<AttemptResult> => {
    const isForm = attached.length > 0;
    const { type, body } = isForm ? formOf(text, attached, files) : { type: 'application/json', body: text };
    const timeoutMs = isForm ? FILES_TIMEOUT_MS : TIMEOUT_MS;
    const headers = headersOf(settings, type);
    const request = { url: webhook.postUrl, headers, body, timeoutMs, hop: 'discord', readsJson: true };
    const answered = await callOut(request, settings);
    if (answered.status === null) return { status: null, error: `no answer: ${answered.why}` };
    const result = discordResult(answered.status, answered.retryAfter, answered.json);
    const { data } = Message.safeParse(answered.json);
    if (result.error === null && data) await keepMessage(messageUrl(webhook.postUrl, data.id));
    return result;
  };
  const attached = attachable(clips);
  const bytes = attached.reduce((sum, { videoBytes }) => sum + videoBytes, byteLength(message));
  const send = async () => {
    const first = await call(attached);
    // Discord plays the videos of pages only in a message of addresses alone.
    const isTooLarge = first.status === 413 && attached.length > 0;
    const result = isTooLarge ? await call([], discordMessage(clips, baseUrl, true)) : first;
    const isOver = result.error === null || result.wait === null;
    // If it fails, the rule counts one failure less.
    if (isOver) await notePosted(database, settings.schedule, runId, result.error).catch(() => {});
    return result;
  };
  return { bytes, send };
}

/** Discord asks its clients for this form (discord/discord-api-docs c98d64bc, developers/reference.mdx). */
function headersOf({ baseUrl }: PostContext['settings'], type: string): Record<string, string> {
  return { 'Content-Type': type, 'User-Agent': `DiscordBot (${baseUrl}, 1)` };
}

/**
 * Deletes a clip from the message in Discord that has it: the message, or, where it has other clips, all of its files
 * and the clip's embed. Repeatable. Rejects if it should be called again. A day after the deletion, or if Discord
 * refuses, gives up and writes into the audit log that the message still has the clip.
 */
export async function withdrawClip(
  { database, settings }: Pick<PostContext, 'database' | 'settings'>,
  runId: string,
  clipId: string,
  deletedAt: number,
): Promise<void> {
  const clips = await selectMessage(database, runId);
  const own = clips.find(({ id }) => id === clipId);
  if (!own) return;
  const left = clips.filter(({ id, isReady }) => id !== clipId && isReady);
  const edit = { method: 'PATCH', body: discordEdit(left, settings.baseUrl) };
  const call = { url: own.message, headers: headersOf(settings, 'application/json'), timeoutMs: TIMEOUT_MS };
  const change = left.length > 0 ? edit : { method: 'DELETE' };
  const answered = await callOut({ ...call, ...change, hop: 'discord', readsJson: true }, settings);
  const { status } = answered;
  const { error, wait } = status === null ? { error: answered.why } : discordResult(status, null, answered.json);
  if (error !== null && !(status === 404 && UnknownMessage.safeParse(answered.json).success)) {
    if (wait !== null && Date.now() - deletedAt < DAY_MS) throw new Error(error);
    const target = { id: clipId, account_id: own.accountId };
    await noteLeft(database, target, `a message in Discord still has the clip: ${error}`, status);
  }
  const gone = left.length > 0 ? [own] : clips;
  await noteMessage(
    database,
    gone.map(({ id }) => id),
    null,
  );
}

/** Tells the operator of clips that the service cannot delete from Discord. */
function noteLeft(
  database: Database,
  target: Readonly<Record<string, string>>,
  changes: string,
  status: number | null,
): Promise<void> {
  const by = { operatorId: null, operator: 'the service', action: 'deleteMessage' };
  const [id, requestId] = [crypto.randomUUID(), crypto.randomUUID()];
  return insertAudit(database, { ...by, id, createdAt: Date.now(), target, changes, status, requestId });
}

/** Returns a form with the message and the videos, which are read while it is sent, so that memory has none of them. */
function formOf(
  message: string,
  clips: readonly PostedClip[],
  files: R2Bucket,
): { type: string; body: ReadableStream } {
  const boundary = crypto.randomUUID();
  const part = (name: string, type: string) =>
    `\r\n--${boundary}\r\nContent-Disposition: form-data; name=${name}\r\nContent-Type: ${type}\r\n\r\n`;
  const names = clips.map((_, i) => part(`"files[${i}]"; filename="clip-${i + 1}.mp4"`, 'video/mp4'));
  const texts = [part('"payload_json"', 'application/json') + message, ...names, `\r\n--${boundary}--\r\n`].map(
    (text) => new TextEncoder().encode(text),
  );
  const sizes = [...texts.map(({ length }) => length), ...clips.map(({ videoBytes }) => videoBytes)];
  const { readable, writable } = new FixedLengthStream(sizes.reduce((sum, size) => sum + size));
  const send = async () => {
    for (const [i, text] of texts.entries()) {
      const writer = writable.getWriter();
      await writer.write(text);
      writer.releaseLock();
      const clip = clips[i - 1];
      const video = clip && (await files.get(clip.videoKey));
      await video?.body.pipeTo(writable, { preventClose: true });
    }
    await writable.close();
  };
  // A failure, such as a deleted video, ends the request too.
  send().catch((reason) => writable.abort(reason).catch(() => {}));
  return { type: `multipart/form-data; boundary=${boundary}`, body: readable };
}
