import * as z from 'zod';
import { thumbnailSize } from '#domain/clip/render-order.ts';
import { isUuid } from '#domain/lib/ids.ts';
import { escapeHtml } from '#domain/lib/text.ts';
import { gone, invalidRequest, notFound, ProblemError } from '#http/problem.ts';
import { requireOnce } from '#http/read-body.ts';
import { embedCode, embedSize } from '#protocol/clip/player.ts';
import { href, PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { loadPublicRecord, settingsFor } from '#service/clip/public-clip.ts';
import { limitGuesses } from '#service/lib/admission.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { clipTextOf } from './clip-facts.ts';
import { mediaUrls } from './media-urls.ts';
import { replayOf, replayTitle } from './replay-player.ts';

/** How long consumers may keep an answer, in seconds: as long as caches may keep the files. */
const CACHE_AGE = 300;

/** The pages with an embed, and the parameters that the embed keeps. */
const SHOWN = [
  [PUBLIC_ROUTES.clipPage, PUBLIC_ROUTES.clipEmbed, ['t']],
  [PUBLIC_ROUTES.replayPage, PUBLIC_ROUTES.replayEmbed, ['from', 'to', 'player', 't']],
] as const satisfies readonly (readonly [page: string, embed: string, names: readonly string[]])[];

/**
 * Parameters of oEmbed (oembed.com, version 1.0), which returns how to embed a clip by its page's address. 404 for an
 * address without a clip, 501 for another format than `json` and `xml`, 400 for a size that is no number and for a
 * repeated parameter.
 */
const OembedQuery = z.object({
  url: z.url().meta({ description: 'The address of the page of a clip or a replay, or of its embed.' }),
  format: z.enum(['json', 'xml']).optional().meta({ description: 'The format of the answer. `json` by default.' }),
  maxwidth: z.int().optional().meta({ description: 'Greatest width in pixels.' }),
  maxheight: z.int().optional().meta({ description: 'Greatest height in pixels.' }),
});

export const oembed = operation({
  route: PUBLIC_ROUTES.oembed,
  scope: 'public',
  query: OembedQuery,
  handler: limitGuesses(async (service, context) => {
    const query = context.url.searchParams;
    const { baseUrl } = service.settings;
    requireOnce(query);
    const format = query.get('format') ?? 'json';
    if (format !== 'json' && format !== 'xml') {
      throw new ProblemError('not_implemented', 'The formats are json and xml.');
    }
    const address = query.get('url');
    if (!address) throw invalidRequest([{ path: 'url', message: 'must be the address of a clip page' }]);
    const named = clipOf(address, baseUrl);
    const record = named && (await loadPublicRecord(service, named.id, context));
    if (record?.state === 'deleted' || record?.state === 'removed') throw gone();
    const clip = record?.state === 'ready' ? record.clip : null;
    const found = record && (named.isReplay ? replayOf(record) : clip);
    if (!named || !found) throw notFound();
    const settings = settingsFor(service, record);
    const { name, url } = settings.brand;
    const title = replayTitle(found);
    const description = clip ? clipTextOf(clip).description : title;

    const { width, height } = embedSize(named.isReplay ? undefined : clip?.aspect);
    const thumbnail = thumbnailSize(clip?.aspect);
    const most = { width: bound(query, 'maxwidth'), height: bound(query, 'maxheight') };
    const scale = Math.min(1, most.width / width, most.height / height);
    const scaled = (length: number) => Math.max(1, Math.floor(length * scale));
    const size = { width: scaled(width), height: scaled(height) };
    const fields: Record<string, string | number> = {
      type: 'video',
      version: '1.0',
      title,
      // Not a field of oEmbed. It is for embeds that somebody draws, such as those of a bot.
      description,
      ...(name && { provider_name: name }),
      ...(url && { provider_url: url }),
      cache_age: CACHE_AGE,
      html: embedCode({ title }, baseUrl + named.embed, size),
      ...size,
    };
    // A thumbnail may not be larger than what was asked for, and there is one size of it.
    if (clip && thumbnail.width <= most.width && thumbnail.height <= most.height) {
      fields.thumbnail_url = mediaUrls(settings, clip, named.id, baseUrl).thumbnail;
      fields.thumbnail_width = thumbnail.width;
      fields.thumbnail_height = thumbnail.height;
    }
    return new Response(format === 'json' ? JSON.stringify(fields) : xml(fields), {
      headers: {
        'Content-Type': format === 'json' ? 'application/json' : 'text/xml; charset=utf-8',
        'Cache-Control': `public, max-age=${CACHE_AGE}`,
        'Access-Control-Allow-Origin': '*',
        'X-Content-Type-Options': 'nosniff',
      },
    });
  }),
});

export const words = (): Words => ({
  oembed: {
    tag: 'Viewing',
    summary: 'Find out how to embed a clip',
    description:
      'Describes the player of a clip for sites that know only the address of its page (oembed.com, version 1.0), and for bots that draw their own embed: `title`, `description` and `thumbnail_url`.',
    answers: {
      200: {
        description: 'The player, its size and its picture.',
        content: { types: ['application/json', 'text/xml'] },
      },
    },
    problems: ['invalid_request', 'not_found', 'gone', 'not_implemented'],
  },
});

/** Returns what a URL shows, and the address of its embed. null if it is not the URL of a page or an embed. */
function clipOf(address: string, baseUrl: string): { id: string; isReplay: boolean; embed: string } | null {
  const url = URL.parse(address);
  const base = URL.parse(baseUrl);
  if (!url || !base || url.host !== base.host) return null;
  const path = url.pathname.slice(base.pathname.replace(/\/$/, '').length);
  const id = /[0-9a-f-]{36}/i.exec(path)?.[0].toLowerCase();
  if (id === undefined || !isUuid(id)) return null;
  const asked = path.replace(/\/$/, '').replace(/[0-9a-f-]{36}/i, id);
  for (const [page, embed, names] of SHOWN) {
    if (asked !== href(page, { id }) && asked !== href(embed, { id })) continue;
    const query = new URLSearchParams([...url.searchParams].filter(([name]) => names.some((one) => one === name)));
    return {
      id,
      isReplay: page !== PUBLIC_ROUTES.clipPage,
      embed: href(embed, { id }) + (query.size ? `?${query}` : ''),
    };
  }
  return null;
}

function bound(query: URLSearchParams, name: string): number {
  const value = query.get(name);
  if (value === null || value === '') return Infinity;
  if (!/^[1-9]\d{0,5}$/.test(value)) throw invalidRequest([{ path: name, message: 'must be a number of pixels' }]);
  return Number(value);
}

function xml(fields: Record<string, string | number>): string {
  const elements = Object.entries(fields).map(([name, value]) => `<${name}>${escapeHtml(String(value))}</${name}>`);
  return `<?xml version="1.0" encoding="utf-8" standalone="yes"?>\n<oembed>${elements.join('')}</oembed>\n`;
}
