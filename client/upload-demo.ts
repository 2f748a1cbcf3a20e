import type * as z from 'zod';
import { API_ROUTES } from '../protocol/routes.ts';
import { Upload, type UploadRequest } from '../protocol/uploads.ts';
import { type Call, requestTo, TickreelError } from './call.ts';

export interface DemoFile extends Omit<z.infer<typeof UploadRequest>, 'bytes'> {
  readonly content: Blob;
}

const TRIES = 5;
const FIRST_WAIT_MS = 500;

/**
 * Uploads a demo and gives the address by which jobs of the account use it. What the service has of the same content
 * is not sent again, so a call after one that broke off goes on from there. `onProgress`: bytes that are there. Rejects
 * with a `TickreelError` where the service refuses, and with what `fetch` says where a part broke off again and again.
 */
export async function uploadDemo(
  call: Call,
  { name, sha256, content }: DemoFile,
  onProgress: (bytes: number) => void = () => {},
): Promise<string> {
  const body = { name, sha256, bytes: content.size };
  const begun = Upload.parse(await (await call({ ...requestTo(API_ROUTES.createUpload), body })).json());
  let arrived = content.size - begun.parts.reduce((sum, { bytes }) => sum + bytes, 0);
  onProgress(arrived);
  for (const { offset, bytes, url } of begun.parts) {
    const part = content.slice(offset, offset + bytes, 'application/octet-stream');
    const { pathname, search } = new URL(url);
    await repeated(() => call({ method: 'PUT', path: pathname + search, body: part }));
    arrived += bytes;
    onProgress(arrived);
  }
  if (begun.state === 'open') {
    await repeated(() => call(requestTo(API_ROUTES.completeUpload, { id: begun.id })));
  }
  return begun.demo_url;
}

/** What was refused for good is not asked again. */
async function repeated(step: () => Promise<Response>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await step();
      return;
    } catch (error) {
      const isFinal = error instanceof TickreelError && error.status < 500 && ![408, 429].includes(error.status);
      if (isFinal || tries === TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS * 2 ** (tries - 1)));
    }
  }
}
