import type { AnswerWords, HeaderWords, OperationWords } from '#protocol/lib/operation-words.ts';

/** Words that several pages share. */

export const page = (description: string): AnswerWords => ({ description, content: { types: ['text/html'] } });

/** A missing clip: people get a page, programs get a problem. */
const absent = (description: string): AnswerWords => ({
  description,
  content: { types: ['text/html', 'application/problem+json'] },
});
export const note = (description: string): AnswerWords =>
  absent(`${description} A problem for clients that ask for JSON.`);
const noFile = (description: string): AnswerWords =>
  absent(`${description} A page for a browser that opens the address itself.`);

const REVISION = '"9f2c6d0b1e8a47c35d90fe6b7a8142d3c05b96e17f4ad8230c9e5b61f7d2a840"';
const ETAG: HeaderWords = { description: 'Tag that changes with every byte of the file.', example: REVISION };
const LENGTH: HeaderWords = { description: 'Length of the body in bytes.', example: '18874368' };
const RANGES: HeaderWords = { description: 'Ranges of bytes can be asked for.', example: 'bytes' };
const CACHE: HeaderWords = {
  description:
    'Time for which caches may keep the file. Shared caches may keep it (`public`) only if deletions purge them.',
  example: 'private, max-age=300',
};

/** The words of a clip's file. */
export const fileWords = (type: string, what: string): OperationWords => ({
  tag: 'Viewing',
  summary: `Load the ${what}`,
  description: [
    'Supports ranges and conditions (RFC 9110). A re-run of the job replaces the file. Browsers keep it for five minutes and then ask again; an unchanged file costs a 304. Any site may load it.',
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
      description: 'The bytes of the whole file.',
      content: { types: [type] },
      headers: { ETag: ETAG, 'Content-Length': LENGTH, 'Accept-Ranges': RANGES, 'Cache-Control': CACHE },
    },
    206: {
      description: 'The range that was asked for.',
      content: { types: [type] },
      headers: {
        ETag: ETAG,
        'Content-Length': { ...LENGTH, example: '1048576' },
        'Content-Range': {
          description: 'The range of bytes, and the length of the file.',
          example: 'bytes 0-1048575/18874368',
        },
      },
    },
    304: { description: 'The file has not changed.', headers: { ETag: ETAG } },
    404: noFile('A problem: there is no such clip.'),
    410: noFile('A problem: the clip was deleted.'),
    412: { description: 'The file has changed since then.', headers: { ETag: ETAG } },
  },
  problems: ['range_not_satisfiable', 'site_not_allowed'],
});
