import { AwsClient, AwsV4Signer } from 'aws4fetch';

/** A bucket as S3 has it, and keys that may write into it. */
export interface S3Settings {
  /** Of the bucket: `https://<account>.r2.cloudflarestorage.com/<bucket>`. */
  readonly url: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

interface Presigned {
  readonly method: string;
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Signed with the rest: a request without them, or with others, is refused. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly seconds: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Made once for all addresses that are signed alike: each takes four digests to derive its key otherwise. */
const derivedKeys = new Map<string, ArrayBuffer>();

/**
 * An address that is itself the right to make one request, for a while.
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

/** What storage refused. `code`: its own name for why. */
export class S3Error extends Error {
  readonly code: string;

  constructor(doing: string, status: number, code: string) {
    super(`${doing}: storage answered ${status} (${code})`);
    this.code = code;
  }
}

/** Makes a request and reads what storage says. Rejects with an `S3Error`, also for one that comes with 200. */
export async function askS3(
  settings: S3Settings,
  doing: string,
  { method, key, query, body }: { method: string; key: string; query: Record<string, string>; body?: string },
): Promise<string> {
  const { accessKeyId, secretAccessKey, region } = settings;
  // Whoever waits for the answer tries again.
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 });
  const response = await client.fetch(addressOf(settings, key, query), { method, ...(body ? { body } : {}) });
  const text = await response.text();
  if (!response.ok || /<Error>/.test(text)) {
    throw new S3Error(doing, response.status, elementsOf(text, 'Code')[0] ?? 'no reason');
  }
  return text;
}

/** What stands in each element of a name. Storage's answers nest none in itself, and have no attributes to tell. */
export function elementsOf(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^]*?)</${name}>`, 'g'))].map(([, text = '']) =>
    text.replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
  );
}

function addressOf({ url }: S3Settings, key: string, query: Readonly<Record<string, string>>): string {
  return `${url}/${key}?${new URLSearchParams(query)}`;
}
