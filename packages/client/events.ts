/** One server-sent event: its data, and the id to continue from after a break. */
export interface StreamEvent {
  readonly data: string;
  readonly id: string | null;
}

/** The service sends a comment every 15 seconds at least. */
const SILENCE_MS = 60_000;

/**
 * Yields the events of a stream, parsed by the HTML standard. Ends with the stream. Rejects if the stream sends
 * nothing, not even a comment, for `silenceMs`. Closes the stream when the caller stops reading. `onId` gets the id of
 * each event, even of an event without data.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  silenceMs = SILENCE_MS,
  onId: (id: string) => void = () => {},
): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let id: string | null = null;
  let data: string[] = [];
  try {
    for (;;) {
      const { value, done } = await orSilent(reader.read(), silenceMs);
      if (done) return;
      const lines = (text + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      text = lines.pop() ?? '';
      for (const line of lines) {
        const [, field, content = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
        if (field === 'data') data.push(content);
        else if (field === 'id') id = content;
        if (line !== '') continue;
        if (id !== null) onId(id);
        if (data.length === 0) continue;
        yield { data: data.join('\n'), id };
        data = [];
      }
    }
  } finally {
    // The stream may be broken already.
    await reader.cancel().catch(() => undefined);
  }
}

/** Rejects after `silenceMs`, because a dead connection would be waited for forever. */
async function orSilent<T>(read: Promise<T>, silenceMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silent = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the stream of events fell silent')), silenceMs);
  });
  try {
    return await Promise.race([read, silent]);
  } finally {
    clearTimeout(timer);
  }
}
