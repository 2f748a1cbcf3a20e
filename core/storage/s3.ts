import { AwsClient, AwsV4Signer } from 'aws4fetch';

/** An S3 bucket, and keys that may write to it. */
export interface S3Settings {
  /** Including the bucket: `https://<account>.r2.cloudflarestorage.com/<bucket>`. */
  readonly url: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

interface Presigned {
  readonly method: string;
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Signed with the rest: a request without them or with others is refused. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly seconds: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Shared by all addresses of a day and region: deriving a key takes four digests. */
const derivedKeys = new Map<string, ArrayBuffer>();

/**
 * Returns an address that grants one request for a while.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 */
export async function presignedUrl(settings: S3Settings, asked: Presigned): Promise<string> {
  const url = addressOf(settings, asked.key, { ...asked.query, 'X-Amz-Expires': String(asked.seconds) });
  const signer = new AwsV4Signer({
    ...settings,
    ...{ service: 's3', signQuery: true, allHeaders: true, cache: derivedKeys },
    ...{ method: asked.method, url, headers: { ...asked.headers } },
    datetime: new Date(asked.now).toISOString().replace(/[:-]|\.\d{3}/g, ''),
  });
  return (await signer.sign()).url.href;
}

/** A refusal of storage, with its `code`. */
export class S3Error extends Error {
  readonly code: string;

  constructor(doing: string, status: number, code: string) {
    super(`${doing}: storage answered ${status} (${code})`);
    this.code = code;
  }
}

/** Makes a request and returns the response text. Rejects with an `S3Error`, also for an error with status 200. */
export async function askS3(
  settings: S3Settings,
  doing: string,
  { method, key, query, body }: { method: string; key: string; query: Record<string, string>; body?: string },
): Promise<string> {
  const { accessKeyId, secretAccessKey, region } = settings;
  // The caller retries.
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 });
  const response = await client.fetch(addressOf(settings, key, query), { method, ...(body ? { body } : {}) });
  const text = await response.text();
  if (!response.ok || /<Error>/.test(text)) {
    throw new S3Error(doing, response.status, elementsOf(text, 'Code')[0] ?? 'no reason');
  }
  return text;
}

/** Returns the text of each element of a name. Responses nest no element in itself and need no attributes. */
export function elementsOf(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^]*?)</${name}>`, 'g'))].map(([, text = '']) =>
    text.replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
  );
}

function addressOf({ url }: S3Settings, key: string, query: Readonly<Record<string, string>>): string {
  return `${url}/${key}?${new URLSearchParams(query)}`;
}
