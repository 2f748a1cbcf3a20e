import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { InspectedRequest } from '#protocol/demo/demos.ts';
import {
  ClaimRequest,
  CompleteRequest,
  EndPollRequest,
  FailRequest,
  HeartbeatRequest,
  LeaseQuery,
  ReleaseRequest,
  UploadBegin,
  UploadEnd,
  UploadPartQuery,
} from '#protocol/host/gateway.ts';

/** A request of a host as it arrived. */
export interface HostRequest {
  /** Null for an address that the gateway does not have. */
  readonly kind: Kind | null;
  readonly line: string;
  readonly atMs: number;
  readonly jobId: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body, or the query of a request whose body is not JSON. */
  readonly values: Record<string, unknown>;
}

/** Where each request of a host has its values, and their shape. */
const REQUESTS = {
  claimJob: { line: 'POST /gateway/v1/claim', in: 'body', shape: ClaimRequest },
  endPoll: { line: 'POST /gateway/v1/claim/end', in: 'body', shape: EndPollRequest },
  heartbeat: { line: 'POST /gateway/v1/jobs/:id/heartbeat', in: 'body', shape: HeartbeatRequest },
  fetchDemo: { line: 'GET /gateway/v1/jobs/:id/demo', in: 'query', shape: LeaseQuery },
  fetchAsset: { line: 'GET /gateway/v1/jobs/:id/assets/watermark', in: 'query', shape: LeaseQuery },
  beginUpload: { line: 'POST /gateway/v1/jobs/:id/uploads', in: 'body', shape: UploadBegin },
  uploadPart: { line: 'PUT /gateway/v1/jobs/:id/uploads/part', in: 'query', shape: UploadPartQuery },
  endUpload: { line: 'POST /gateway/v1/jobs/:id/uploads/complete', in: 'body', shape: UploadEnd },
  completeJob: { line: 'POST /gateway/v1/jobs/:id/complete', in: 'body', shape: CompleteRequest },
  jobInspected: { line: 'POST /gateway/v1/jobs/:id/inspected', in: 'body', shape: InspectedRequest },
  failJob: { line: 'POST /gateway/v1/jobs/:id/fail', in: 'body', shape: FailRequest },
  releaseJob: { line: 'POST /gateway/v1/jobs/:id/release', in: 'body', shape: ReleaseRequest },
} as const;

export type Kind = keyof typeof REQUESTS;

const ROUTES = Object.entries(REQUESTS).map(([kind, { line, ...values }]) => ({
  ...values,
  kind: kind as Kind,
  pattern: new RegExp(`^${line.replace(':id', '([^/]+)')}$`),
}));

/** Parses a request and checks its shape. `fault` is null if nothing is wrong. */
export function readRequest(
  method: string,
  url: URL,
  headers: IncomingHttpHeaders,
  body: Buffer,
  atMs: number,
): { readonly request: HostRequest; readonly fault: string | null } {
  const line = `${method} ${url.pathname}`;
  const route = ROUTES.find(({ pattern }) => pattern.test(line));
  const request = { line, atMs, headers, body };
  if (!route) {
    return {
      request: { ...request, kind: null, jobId: '', values: {} },
      fault: `${line} is no address of the gateway`,
    };
  }
  const jobId = route.pattern.exec(line)?.[1] ?? '';
  const { in: where, shape } = route;
  const sent = where === 'query' ? Object.fromEntries(url.searchParams) : parsed(body);
  const result = shape.safeParse(sent);
  const values = (result.success ? result.data : {}) as Record<string, unknown>;
  const why = result.error?.issues.map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`).join('; ');
  return {
    request: { ...request, kind: route.kind, jobId, values },
    fault: why === undefined ? null : `${line}: ${why}`,
  };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return null;
  }
}

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
