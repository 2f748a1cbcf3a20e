import type { AddressPolicy } from '#domain/address-policy.ts';
import type { AttemptResult } from '#domain/delivery.ts';
import { discordResult } from '#domain/discord-answer.ts';
import { attachable, discordMessage, type PostedClip } from '#protocol/discord-message.ts';
import { discordWebhook } from '#protocol/discord-url.ts';
import type { Database } from '#storage/database.ts';
import { selectPost } from '#storage/rule-posts.ts';
import { notePosted } from '#storage/rule-runs.ts';
import { callOut } from './call-out.ts';

interface PostWorld {
  readonly database: Database;
  readonly files: R2Bucket;
  readonly settings: Omit<AddressPolicy, 'acceptedDomains'> & { readonly baseUrl: string };
}

/** Files take longer than a message alone. */
const TIMEOUT_MS = 10_000;
const FILES_TIMEOUT_MS = 60_000;

/**
 * Prepares one attempt to post the clips of a rule's run at Discord, at the rule's present address. Resolves with null
 * if there is nothing to post any more, else with a function that resolves with the outcome and never rejects.
 */
export async function prepareDiscord(
  { database, files, settings }: PostWorld,
  runId: string,
): Promise<(() => Promise<AttemptResult>) | null> {
  const clips = await selectPost(database, runId);
  const webhook = discordWebhook(clips[0]?.discordUrl ?? '', settings.allowPrivateAddresses);
  if (!webhook) return null;
  const message = discordMessage(clips, settings.baseUrl);
  const call = async (attached: readonly PostedClip[]): Promise<AttemptResult> => {
    const isForm = attached.length > 0;
    const { type, body } = isForm ? formOf(message, attached, files) : { type: 'application/json', body: message };
    // Discord asks its clients for this form (discord/discord-api-docs c98d64bc, developers/reference.mdx).
    const headers = { 'Content-Type': type, 'User-Agent': `DiscordBot (${settings.baseUrl}, 1)` };
    const timeoutMs = isForm ? FILES_TIMEOUT_MS : TIMEOUT_MS;
    const request = { url: webhook.postUrl, headers, body, timeoutMs, hop: 'discord', readsLimit: true };
    const answered = await callOut(request, settings);
    if (answered.status === null) return { status: null, error: `no answer: ${answered.why}` };
    return discordResult(answered.status, answered.retryAfter, answered.limit);
  };
  return async () => {
    const attached = attachable(clips);
    const first = await call(attached);
    const result = first.status === 413 && attached.length > 0 ? await call([]) : first;
    const isOver = result.error === null || result.wait === null;
    // If it fails, the rule counts one failure less.
    if (isOver) await notePosted(database, runId, result.error, Date.now()).catch(() => {});
    return result;
  };
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
