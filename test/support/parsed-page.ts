/** A page as crawlers parse it. */
export interface ParsedPage {
  readonly title: string;
  readonly h1: string;
  /** `content` by `property` or `name`. */
  readonly meta: ReadonlyMap<string, string>;
  readonly links: readonly Readonly<Record<string, string>>[];
  /** Attributes of the video element; null without one. */
  readonly video: Readonly<Record<string, string>> | null;
  readonly jsonLd: Record<string, unknown> | null;
  /** Names of all elements. */
  readonly elements: ReadonlySet<string>;
  /** Names of all attributes. */
  readonly attributes: ReadonlySet<string>;
}

/** Reads a page with a real HTML parser. */
export async function parsePage(response: Response): Promise<ParsedPage> {
  const text = { title: '', h1: '', json: '' };
  const meta = new Map<string, string>();
  const links: Record<string, string>[] = [];
  const elements = new Set<string>();
  const attributes = new Set<string>();
  let video: Record<string, string> | null = null;
  const collect = (into: keyof typeof text) => ({
    text(chunk: Text) {
      text[into] += chunk.text;
    },
  });
  const rewriter = new HTMLRewriter()
    .on('*', {
      element(element) {
        elements.add(element.tagName);
        const own = Object.fromEntries([...element.attributes].map(([name, value]) => [name, decode(value ?? '')]));
        for (const name of Object.keys(own)) attributes.add(name);
        if (element.tagName === 'meta') meta.set(own.property ?? own.name ?? '', own.content ?? '');
        if (element.tagName === 'link') links.push(own);
        if (element.tagName === 'video') video = own;
      },
    })
    .on('title', collect('title'))
    .on('h1 bdi', collect('h1'))
    .on('script[type="application/ld+json"]', collect('json'));
  await rewriter.transform(response).arrayBuffer();
  return {
    title: decode(text.title),
    h1: decode(text.h1),
    meta,
    links,
    video,
    jsonLd: text.json === '' ? null : JSON.parse(text.json),
    elements,
    attributes,
  };
}

/** The parser does not decode character references. */
function decode(text: string): string {
  return text.replace(/&(?:#(\d+)|(amp|lt|gt|quot));/g, (_, code: string | undefined, name: string | undefined) =>
    code ? String.fromCodePoint(Number(code)) : ({ amp: '&', lt: '<', gt: '>', quot: '"' }[name ?? ''] ?? ''),
  );
}
