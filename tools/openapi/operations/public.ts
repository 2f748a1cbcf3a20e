import * as z from 'zod';
import { MoreClips, ShownViews } from '#protocol/clip-view.ts';
import type { PUBLIC_ROUTES } from '#protocol/routes.ts';
import { type Answer, type HeaderDoc, type OperationDoc, only } from '../operation.ts';

const page = (description: string): Answer => ({ description, content: { types: ['text/html'] } });

/** What is not there is told to people by a page and to programs by a problem. */
const absent = (description: string): Answer => ({
  description,
  content: { types: ['text/html', 'application/problem+json'] },
});
const note = (description: string) => absent(`${description} A problem for who asks for JSON.`);
const noFile = (description: string) => absent(`${description} A page for a browser that opens the address itself.`);

const CLIP = '/clips/0a6d8f31-5b2c-4e79-9d10-83f7c2b4e6a5';
const MORE_CLIPS = {
  clips: [
    {
      ...{ title: '4 kills by Ferris on de_nuke, round 9', duration_seconds: 16.2 },
      ...{ page: CLIP, thumbnail: `${CLIP}/thumbnail.jpg?v=7` },
    },
  ],
};
const REVISION = '"9f2c6d0b1e8a47c35d90fe6b7a8142d3c05b96e17f4ad8230c9e5b61f7d2a840"';
const ETAG: HeaderDoc = { description: 'Changes with every byte of the file.', example: REVISION };
const LENGTH: HeaderDoc = { description: 'Bytes that follow.', example: '18874368' };
const RANGES: HeaderDoc = { description: 'Ranges of bytes can be asked for.', example: 'bytes' };
const CACHE: HeaderDoc = {
  description: 'May be kept this long without asking; by shared caches (`public`) only where deletions purge them.',
  example: 'private, max-age=300',
};

const file = (type: string, what: string): OperationDoc => ({
  tag: 'Viewing',
  summary: `Load the ${what}`,
  description: [
    'Streamed out of storage with ranges and conditions (RFC 9110). A re-run of the job puts another file here: browsers keep it for five minutes and then ask again, which costs a 304 while nothing has changed. Any site may load it.',
    'With `?download` the browser saves the file under a name made from the title.',
  ].join('\n\n'),
  headers: {
    Range: {
      description: 'One range of bytes. Several, or a malformed one, give the whole file.',
      example: 'bytes=0-1048575',
    },
    'If-None-Match': { description: 'Answer 304 if the file is still this one.', example: REVISION },
    'If-Range': {
      description: 'Give the range only if the file is still this one, else all of it.',
      example: REVISION,
    },
    'If-Match': { description: 'Answer 412 if the file is not this one any more.', example: REVISION },
  },
  answers: {
    200: {
      description: 'The whole file.',
      content: { types: [type] },
      headers: { ETag: ETAG, 'Content-Length': LENGTH, 'Accept-Ranges': RANGES, 'Cache-Control': CACHE },
    },
    206: {
      description: 'The range that was asked for.',
      content: { types: [type] },
      headers: {
        ETag: ETAG,
        'Content-Length': { ...LENGTH, example: '1048576' },
        'Content-Range': { description: 'Which bytes, of how many.', example: 'bytes 0-1048575/18874368' },
      },
    },
    304: { description: 'The file is the one that you have.', headers: { ETag: ETAG } },
    404: noFile('A problem: there is no such clip, or it is still rendering.'),
    410: noFile('A problem: the clip was deleted.'),
    412: { description: 'The file is another one by now.', headers: { ETag: ETAG } },
  },
  problems: ['range_not_satisfiable', 'site_not_allowed'],
});

const OembedQuery = z.object({
  url: z.url().meta({ description: 'The address of a clip page, or of its embed.' }),
  format: z.enum(['json', 'xml']).optional().meta({ description: '`json` unless told.' }),
  maxwidth: z.int().optional().meta({ description: 'Greatest width in pixels.' }),
  maxheight: z.int().optional().meta({ description: 'Greatest height in pixels.' }),
});

export const PUBLIC_OPERATIONS: Record<keyof typeof PUBLIC_ROUTES, OperationDoc> = {
  landing: {
    tag: 'Viewing',
    summary: 'Show what this is',
    description: 'The front page, with a clip to look at where the operator has named one.',
    answers: { 200: page('The page.') },
  },
  clipPage: {
    tag: 'Viewing',
    summary: 'Show a clip',
    description: [
      'The page to share: the player, the title, the facts, links to copy, a download. Chats and search engines find what they need in it.',
      'With `?t=12.5` it starts there: seconds, or `1m12.5s`.',
    ].join('\n\n'),
    answers: {
      200: page('The page.'),
      404: note(
        'A page that says that there is no such clip, or that it is still rendering; that one looks again by itself.',
      ),
      410: note('A page that says that the clip was deleted.'),
    },
  },
  clipEmbed: {
    tag: 'Viewing',
    summary: 'Show the player alone',
    description: [
      'For an `<iframe>` on any site. Webhooks name it as `clip_url`. The page around it can work it in the player.js protocol.',
      'In its query, `t` or `start` and `end` say from where to where it plays: seconds, or `1m12.5s`. `autoplay` begins by itself, without sound, as browsers allow no other way; `muted` begins without sound; `loop` begins again at the end. `controls=0` hides the controls and the title, `poster=0` shows the first frame instead of the thumbnail. A flag may stand alone: `?muted` is `?muted=1`, and `0`, `false`, `no` or `off` switch it off. What is unknown is ignored.',
    ].join('\n\n'),
    answers: {
      200: page('The player.'),
      404: note('A note that there is no such clip, or that it is still rendering.'),
      410: note('A note that the clip was deleted.'),
    },
  },
  clipVideo: file('video/mp4', 'MP4'),
  clipThumbnail: file('image/jpeg', 'thumbnail'),
  clipStoryboard: file('image/jpeg', 'pictures that are shown to whoever seeks'),
  countView: {
    tag: 'Viewing',
    summary: 'Count a view',
    description:
      'Pages send it when their player begins to play, once a page. Counted by clip and day and nothing else: no cookie, no address. A request counts whose `Origin` (or else `Referer`) is this service or a site that may show the clip; requests of an address beyond its limit do not count.',
    answers: { 204: { description: 'Noted.' } },
    problems: ['not_found'],
  },
  shownViews: {
    tag: 'Viewing',
    summary: 'Show the views of a clip',
    description: 'For pages of clips whose account has it shown; up to a minute or two old. 404 for all others.',
    answers: {
      200: {
        description: 'How often it was watched, in the last 90 days.',
        content: { schema: ShownViews, examples: only({ total: 1842 }) },
      },
    },
    problems: ['not_found'],
  },
  moreClips: {
    tag: 'Viewing',
    summary: 'Show more clips',
    description:
      'Others of the same match and player, the newest first, for pages of clips whose account has it shown; as old as pages may be. 404 for all others.',
    answers: {
      200: {
        description: 'At most six.',
        content: { schema: MoreClips, examples: only(MORE_CLIPS) },
      },
    },
    problems: ['not_found'],
  },

  oembed: {
    tag: 'Viewing',
    summary: 'Find out how to embed a clip',
    description: 'For sites that know no more than the address of a clip page (oembed.com, version 1.0).',
    query: OembedQuery,
    answers: {
      200: {
        description: 'The player, its size and its picture.',
        content: { types: ['application/json', 'text/xml'] },
      },
    },
    problems: ['invalid_request', 'not_found', 'not_implemented'],
  },
  studio: {
    tag: 'Viewing',
    summary: 'Make clips in a browser',
    description: 'A page that does what the API does, under a key that is typed in and stays in its tab.',
    answers: { 200: page('The studio.') },
  },
  robots: {
    tag: 'Viewing',
    summary: 'Tell crawlers where to look',
    description: 'Pages are for everybody; what needs a key has nothing for a crawler.',
    answers: { 200: { description: 'As RFC 9309 has it.', content: { types: ['text/plain'] } } },
    problems: [],
  },
  health: {
    tag: 'Viewing',
    summary: 'Ask whether all is well',
    description:
      'For a monitor. On one machine it answers 503 while its disk still has room, but not for long: `DISK_RESERVE_MIB`.',
    answers: { 200: { description: 'It is.', content: { types: ['text/plain'] } } },
    problems: ['unavailable'],
  },
  openApi: {
    tag: 'Reference',
    summary: 'Read this document',
    description:
      'The API as OpenAPI 3.1, made from the same table of routes and the same schemas that the service runs on.',
    answers: { 200: { description: 'The document.', content: { types: ['application/json'] } } },
    problems: [],
  },
  docs: {
    tag: 'Reference',
    summary: 'Read the reference',
    description: 'What clients need of this document as a page for people, with a quickstart.',
    answers: { 200: page('The page.') },
  },
  consolePage: {
    tag: 'Administration',
    summary: "Open the operator's console",
    description: 'A page for people, who sign in with the token of an operator.',
    answers: { 200: page('The console.') },
  },
  errorDocs: {
    tag: 'Reference',
    summary: 'Read why a job fails with a code',
    description: 'Causes, and what to do. `docs_url` of a diagnosis leads here.',
    answers: { 200: page('The page.') },
    problems: ['not_found'],
  },
  gatewayDocs: {
    tag: 'Reference',
    summary: 'Read what render hosts say',
    description: 'The part of this document that is for who writes a render host.',
    answers: { 200: page('The page.') },
  },
  operatorDocs: {
    tag: 'Reference',
    summary: 'Read what the operator does',
    description: 'The part of this document that is for the operator of the service.',
    answers: { 200: page('The page.') },
  },
  searchDocs: {
    tag: 'Reference',
    summary: 'Search the reference',
    description: 'Operations, fields, kinds of problem and reasons for failure that have all of the words.',
    query: z.object({ q: z.string().optional().meta({ description: 'The words.' }) }),
    answers: { 200: page('What was found.') },
    problems: [],
  },
  changesDocs: {
    tag: 'Reference',
    summary: 'Read what changed',
    description: 'Every change of the API that a client can notice, the newest first.',
    answers: { 200: page('The page.') },
  },
  docsText: {
    tag: 'Reference',
    summary: 'Read the reference as Markdown',
    description: 'What clients need, in one text: for terminals, editors and language models.',
    answers: { 200: { description: 'The text.', content: { types: ['text/markdown'] } } },
    problems: [],
  },
  llms: {
    tag: 'Reference',
    summary: 'Tell language models where to read',
    description: 'As llmstxt.org has it: what this is, and where each part of the reference lies.',
    answers: { 200: { description: 'The text.', content: { types: ['text/plain'] } } },
    problems: [],
  },
  problemDocs: {
    tag: 'Reference',
    summary: 'Read about the kinds of problem',
    description: 'Where the `type` of every problem leads to.',
    answers: { 200: page('The page.') },
  },
};
