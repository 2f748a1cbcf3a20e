import { cleanLine, escapeHtml } from '#domain/lib/clean-text.ts';

/** The default size of an embedded player, in pixels. */
export const EMBED_SIZE = { width: 960, height: 540 } as const;

/** Returns the iframe that shows a clip on another site. */
export function embedCode(
  clip: { readonly title: string },
  embedUrl: string,
  { width, height }: { readonly width: number; readonly height: number } = EMBED_SIZE,
): string {
  const [src, title] = [embedUrl, cleanLine(clip.title) || 'Clip'].map(escapeHtml);
  return `<iframe src="${src}" width="${width}" height="${height}" title="${title}" frameborder="0" allow="autoplay; fullscreen" allowfullscreen loading="lazy"></iframe>`;
}
