import { OPENAPI } from './openapi-document.ts';

const TEXT = JSON.stringify(OPENAPI);

/** `GET /openapi.json`. Tools on any site may load it. */
export function openApiFile(): Response {
  return new Response(TEXT, {
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'public, max-age=300',
      'Access-Control-Allow-Origin': '*',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}
