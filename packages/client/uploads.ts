import type { CallOperation, Methods } from './operations.ts';
import type { AccountMethods, AccountOperations, Upload, UploadRequest } from './shapes.ts';
import type { RequestOptions } from './transport.ts';

/** A demo of the caller. */
export interface DemoFile extends Pick<UploadRequest, 'tag' | 'facts'> {
  /** A name for your list of demos. */
  readonly name: string;
  /** Plain or compressed, as a `.dem`, `.gz`, `.bz2`, `.zst`, `.zip` or `.rar`. */
  readonly content: Pick<Blob, 'size' | 'slice'>;
  /** SHA-256 in lower-case hexadecimal. Without it the whole file is read into memory to compute it. */
  readonly sha256?: string | undefined;
}

export interface SendOptions extends RequestOptions {
  /** Called with the bytes that have arrived, and all bytes. */
  readonly onProgress?: ((arrived: number, total: number) => void) | undefined;
}

export interface Uploads extends Methods<AccountMethods['uploads']> {
  /**
   * Uploads a demo. Jobs of the account name its `demo_url`. Parts that the service already has are not sent again, so
   * a call after an interrupted one continues it.
   */
  send(file: DemoFile, options?: SendOptions): Promise<Upload>;
}

/** A part is 8 MiB. At the end the service reads the whole file. */
const STEP_MS = 10 * 60_000;

export function createUploads(
  call: CallOperation<AccountOperations>,
  methods: Methods<AccountMethods['uploads']>,
): Uploads {
  return {
    ...methods,
    async send({ name, content, sha256, tag, facts }, { onProgress = () => {}, ...options } = {}) {
      const body = { name, bytes: content.size, sha256: sha256 ?? (await digestOf(content.slice())), tag, facts };
      const upload = await call('createUpload', { body }, options);
      const params = { id: upload.id };
      const patient = { timeoutMs: STEP_MS, ...options };
      let arrived = content.size - upload.parts.reduce((sum, { bytes }) => sum + bytes, 0);
      onProgress(arrived, content.size);
      for (const { part, offset, bytes } of upload.parts) {
        const piece = content.slice(offset, offset + bytes, 'application/octet-stream');
        await call('sendUploadPart', { params, query: { part }, body: piece }, patient);
        arrived += bytes;
        onProgress(arrived, content.size);
      }
      return upload.state === 'complete' ? upload : call('completeUpload', { params }, patient);
    },
  };
}

async function digestOf(content: Blob): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await content.arrayBuffer()));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
