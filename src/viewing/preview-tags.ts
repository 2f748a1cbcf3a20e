import { sizeOf, thumbnailSize } from '#domain/clip/render-order.ts';
import type { PublicClip } from '#domain/job/public-record.ts';
import type { Settings } from '#platform/settings.ts';
import { clipUrls, href, PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { siteNameTag, themeColour } from '../page/brand.ts';
import { type Html, html, jsonForScript } from '../page/html.ts';
import { clipTextOf } from './clip-facts.ts';
import { mediaUrls } from './media-urls.ts';

/** Bytes. Chats do not load larger videos, so they only get the picture. */
const MAX_PREVIEW_BYTES = 100_000_000;

type PreviewUrls = Readonly<Record<'page' | 'embed' | 'video' | 'thumbnail', string>>;

/** Returns the tags for crawlers and chats: OpenGraph, Twitter card, oEmbed links, schema.org. URLs are absolute. */
export function previewTags(settings: Settings, clip: PublicClip, id: string): Html {
  const { baseUrl, brand } = settings;
  const { page, embed } = clipUrls(baseUrl, id);
  const urls = { page, embed, ...mediaUrls(settings, clip, id, baseUrl) };
  const { title, description } = clipTextOf(clip);
  const { width, height } = sizeOf(clip.resolution, clip.aspect);
  const thumbnail = thumbnailSize(clip.aspect);
  const withVideo = clip.video.bytes <= MAX_PREVIEW_BYTES;
  const seconds = Math.round(clip.durationSeconds);
  const properties: [string, string | number][] = [
    ['og:type', 'video.other'],
    ['og:title', title],
    ['og:description', description],
    ['og:url', urls.page],
    ['og:image', urls.thumbnail],
    ['og:image:type', 'image/jpeg'],
    ['og:image:width', thumbnail.width],
    ['og:image:height', thumbnail.height],
    ['og:image:alt', title],
  ];
  const names: [string, string | number][] = [
    ['description', description],
    ['theme-color', themeColour(brand)],
    ['twitter:card', withVideo ? 'player' : 'summary_large_image'],
    ['twitter:title', title],
    ['twitter:description', description],
    ['twitter:image', urls.thumbnail],
    ['twitter:image:alt', title],
  ];
  if (withVideo) {
    properties.push(
      ['og:video', urls.video],
      ...(urls.video.startsWith('https:') ? [['og:video:secure_url', urls.video] as [string, string]] : []),
      ['og:video:type', 'video/mp4'],
      ['og:video:width', width],
      ['og:video:height', height],
      ...(seconds > 0 ? [['video:duration', seconds] as [string, number]] : []),
    );
    names.push(
      ['twitter:player', urls.embed],
      ['twitter:player:width', width],
      ['twitter:player:height', height],
      ['twitter:player:stream', urls.video],
      ['twitter:player:stream:content_type', 'video/mp4'],
    );
  }
  return html`<link rel="canonical" href="${urls.page}">
${discoveryLinks(settings, title, urls.page)}
${siteNameTag(brand)}${properties.map(([name, value]) => html`<meta property="${name}" content="${value}">\n`)}${names.map(
  ([name, value]) => html`<meta name="${name}" content="${value}">\n`,
)}<script type="application/ld+json">${jsonForScript(videoObject(clip, urls))}</script>`;
}

/** Returns the links to oEmbed's answers about a page. */
export function discoveryLinks({ baseUrl }: Pick<Settings, 'baseUrl'>, title: string, page: string): Html {
  return html`${(['json', 'xml'] as const).map((format) => {
    const address = `${baseUrl + href(PUBLIC_ROUTES.oembed)}?${new URLSearchParams({ url: page, format })}`;
    return html`<link rel="alternate" type="${format === 'json' ? 'application/json' : 'text/xml'}+oembed" title="${title}" href="${address}">\n`;
  })}`;
}

/** https://schema.org/VideoObject, with the fields that search engines need. */
function videoObject(clip: PublicClip, urls: PreviewUrls): Record<string, unknown> {
  const { title, description, isoDate } = clipTextOf(clip);
  return {
    '@context': 'https://schema.org',
    '@type': 'VideoObject',
    name: title,
    description,
    thumbnailUrl: urls.thumbnail,
    uploadDate: isoDate,
    ...(clip.durationSeconds > 0 ? { duration: `PT${Number(clip.durationSeconds.toFixed(3))}S` } : {}),
    contentUrl: urls.video,
    embedUrl: urls.embed,
    url: urls.page,
    ...sizeOf(clip.resolution, clip.aspect),
  };
}
