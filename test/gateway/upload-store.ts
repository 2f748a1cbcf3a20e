import { createHash } from 'node:crypto';
import type { CompleteRequest, UploadEnd, UploadPartQuery } from '#protocol/gateway.ts';

interface Upload {
  readonly file: string;
  readonly parts: Map<number, Buffer>;
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const etagOf = (bytes: Buffer): string => sha256(bytes).slice(0, 32);

/** Stores the uploads of one lease, and reports what the host does wrong with them. */
export function createUploadStore(partBytes: number, blame: (rule: string, detail: string) => void) {
  const uploads = new Map<string, Upload>();
  const files = new Map<string, Buffer>();
  let begun = 0;
  return {
    begin(file: string): string {
      const id = `upload-${++begun}`;
      uploads.set(id, { file, parts: new Map() });
      return id;
    },

    /** Returns null if there is no such upload. */
    store({ upload_id, file, part, sha256: announced }: UploadPartQuery, body: Buffer): string | null {
      const upload = uploads.get(upload_id);
      if (upload?.file !== file) return null;
      if (sha256(body) !== announced) blame('parts', `part ${part} of the ${file} has another SHA-256 than announced`);
      if (part > upload.parts.size + 1) blame('parts', `part ${part} of the ${file} came before the one ahead of it`);
      if (body.length === 0 || body.length > partBytes) {
        blame('parts', `part ${part} of the ${file} has ${body.length} bytes, and parts have ${partBytes}`);
      }
      upload.parts.set(part, body);
      return etagOf(body);
    },

    /** Returns null if there is no such upload any more. */
    end({ upload_id, file, parts }: UploadEnd): number | null {
      const upload = uploads.get(upload_id);
      if (upload?.file !== file) return null;
      uploads.delete(upload_id);
      const stored = [...upload.parts].toSorted(([a], [b]) => a - b);
      const listed = parts.map(({ part, etag }) => `${part} ${etag}`).join();
      if (listed !== stored.map(([part, bytes]) => `${part} ${etagOf(bytes)}`).join()) {
        blame('parts', `the ${file} ends with other parts than were stored, or in another order`);
      }
      for (const [part, bytes] of stored.slice(0, -1)) {
        if (bytes.length !== partBytes) blame('parts', `part ${part} of the ${file} is shorter than the parts are`);
      }
      const whole = Buffer.concat(stored.map(([, bytes]) => bytes));
      files.set(file, whole);
      return whole.length;
    },

    /** Whether both files are as announced. */
    isComplete(announced: CompleteRequest): boolean {
      let isComplete = true;
      for (const file of ['video', 'thumbnail'] as const) {
        const stored = files.get(file);
        const { bytes, sha256: digest } = announced[file];
        if (stored?.length === bytes && sha256(stored) === digest) continue;
        isComplete = false;
        blame('completion', stored ? `the ${file} is not what was uploaded` : `the ${file} was not uploaded`);
      }
      return isComplete;
    },
  };
}
