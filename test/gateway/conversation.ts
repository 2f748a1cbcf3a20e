/** Numbers the ids that a run makes, so that each run has the same text. */
const numbered = (n: number) => `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`;
/** The document shows only the kind of a token, because a token is a secret. */
const TOKEN = /\b(tr_(?:host|reg)_)[A-Za-z0-9]{20,}/g;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Values that the service and its storage make, and their replacements in the document: first, second, … */
const MADE_UP: Record<string, (n: number) => string> = {
  upload_id: (n) => `upload-${n}`,
  etag: (n) => `etag-${n}`,
  demo_key: (n) => String(n).padStart(32, '0'),
  account_key: (n) => String(n).padStart(32, '0'),
};
const REQUEST_HEADERS = [
  ...['Authorization', 'Content-Type', 'Range', 'X-Request-Id'],
  ...['webhook-id', 'webhook-timestamp', 'webhook-signature', 'X-Service-Hop'],
];
const ANSWER_HEADERS = ['Content-Type', 'Content-Range', 'Retry-After', 'X-Host-State'];

export interface Spoken {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string | Uint8Array | null;
}

/** Formats requests and answers as text, the same in each run. */
export function createTranscript() {
  const aliases = new Map<string, string>();
  const kept = new Set<string>();
  let names = 0;

  function learn(value: unknown, key = ''): void {
    const alias = MADE_UP[key];
    if (typeof value === 'string' && alias && !aliases.has(value)) aliases.set(value, alias(++names));
    else if (value !== null && typeof value === 'object') {
      for (const [name, part] of Object.entries(value)) learn(part, name);
    }
  }

  function plain(text: string): string {
    let out = text.replaceAll(TOKEN, '$1...');
    for (const [real, alias] of aliases) out = out.replaceAll(real, alias);
    return out.replace(UUID, (uuid) => {
      if (kept.has(uuid)) return uuid;
      const alias = numbered(kept.size + 1);
      kept.add(alias);
      aliases.set(uuid, alias);
      return alias;
    });
  }

  function bodyText(body: string | Uint8Array | null): string {
    if (body === null || body.length === 0) return '';
    if (typeof body !== 'string') return `\n\n(${body.length} bytes)`;
    const value: unknown = body.startsWith('{') ? JSON.parse(body) : null;
    if (value === null) return `\n\n${body}`;
    learn(value);
    return `\n\n${JSON.stringify(value, null, 2)}`;
  }

  const headerLines = (headers: Headers, shown: readonly string[]) =>
    shown.flatMap((name) => (headers.has(name) ? [`${name}: ${headers.get(name)}`] : []));

  return {
    request({ method, path, headers, body }: Spoken): string {
      return plain([`${method} ${path}`, ...headerLines(headers, REQUEST_HEADERS)].join('\n') + bodyText(body));
    },
    answer(status: number, headers: Headers, body: string | Uint8Array): string {
      const text = bodyText(body);
      return plain([String(status), ...headerLines(headers, ANSWER_HEADERS)].join('\n') + text);
    },
  };
}

/** Returns the conversations of a document by name: the text between fences after `<!-- conversation: name -->`. */
const MARKED = /(<!-- conversation: ([a-z-]+) -->\n\n```http\n)([\s\S]*?)(\n```)/g;

export function conversationsIn(document: string): Map<string, string> {
  return new Map([...document.matchAll(MARKED)].map(([, , name = '', text = '']) => [name, text]));
}

export function withConversations(document: string, conversations: ReadonlyMap<string, string>): string {
  return document.replace(MARKED, (whole, before: string, name: string, _text, after: string) => {
    const text = conversations.get(name);
    return text === undefined ? whole : `${before}${text}${after}`;
  });
}
