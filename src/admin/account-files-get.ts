import { IMAGE_TYPES } from '#domain/image-header.ts';
import { SOUND_TYPES } from '#domain/sound-header.ts';
import { assetKey, demoFileKey } from '#domain/storage-keys.ts';
import { notFound } from '#http/problem.ts';
import { operation, type Words } from '#service/operation.ts';

export const getAccountFile = operation({
  route: 'GET /admin/accounts/:id/files/:file',
  scope: 'operator:admin',
  handler: async ({ images, demos }, { params: { id, file } }) => {
    const found = (await images.get(assetKey(id, file))) ?? (await demos.get(demoFileKey(id, file)));
    if (!found) throw notFound();
    const type = found.httpMetadata?.contentType ?? 'application/octet-stream';
    return new Response(found.body, {
      headers: {
        ...{ 'Content-Type': type, 'Content-Length': String(found.size), 'Cache-Control': 'no-store' },
        'Content-Disposition': 'attachment',
      },
    });
  },
});

export const words = (): Words => ({
  getAccountFile: {
    summary: 'Download an asset or a demo of an account',
    description: 'A file that the account has uploaded, by the id of its asset or upload.',
    answers: {
      200: {
        description: 'The bytes of the file.',
        content: { types: ['application/octet-stream', ...IMAGE_TYPES, ...SOUND_TYPES] },
      },
    },
  },
});
