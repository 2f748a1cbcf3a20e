import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Valid keys of the fake S3. */
export interface Known {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/**
 * Checks the signature of a request (AWS version 4), in its query or its header. Written from the specification; shares
 * no code with the signer. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function isSigned(request: Request, known: Known, now: number): boolean {
  const url = new URL(request.url);
  const query = url.searchParams;
  const inHeader = /Credential=(\S+), ?SignedHeaders=(\S+), ?Signature=(\w+)/.exec(
    request.headers.get('Authorization') ?? '',
  );
  const [credential, names, signature] = inHeader
    ? inHeader.slice(1)
    : ['X-Amz-Credential', 'X-Amz-SignedHeaders', 'X-Amz-Signature'].map((name) => query.get(name));
  const stamp = (inHeader ? request.headers.get('X-Amz-Date') : query.get('X-Amz-Date')) ?? '';
  const [keyId, day, region, service] = (credential ?? '').split('/');
  const signedAt = Date.parse(stamp.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  const seconds = inHeader ? 900 : Number(query.get('X-Amz-Expires'));
  if (keyId !== known.accessKeyId || !(now >= signedAt - 60_000 && now < signedAt + seconds * 1000)) return false;
  query.delete('X-Amz-Signature');
  const values = (names ?? '').split(';').map((name) => {
    const value = name === 'host' ? url.host : request.headers.get(name);
    return `${name}:${(value ?? '').trim()}\n`;
  });
  const canonical = [
    ...[request.method, url.pathname],
    ...[
      [...query]
        .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
        .sort()
        .join('&'),
    ],
    ...[values.join(''), names, request.headers.get('X-Amz-Content-Sha256') ?? 'UNSIGNED-PAYLOAD'],
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', stamp, scope, bytesToHex(sha256(utf8ToBytes(canonical)))].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<Uint8Array>(
    (under, word) => hmac(sha256, under, utf8ToBytes(word ?? '')),
    utf8ToBytes(`AWS4${known.secretAccessKey}`),
  );
  return bytesToHex(hmac(sha256, key, utf8ToBytes(text))) === signature;
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Serves S3 uploads in parts from a bucket; refuses unsigned requests. */
export function createFakeS3(bucket: R2Bucket, known: Known & { readonly url: string }) {
  const open = new Map<string, Map<number, Uint8Array>>();
  const refuse = (status: number, code: string) => new Response(`<Error><Code>${code}</Code></Error>`, { status });
  let begun = 0;
  return {
    open,
    async answer(request: Request): Promise<Response> {
      const url = new URL(request.url);
      if (!isSigned(request, known, Date.now())) return refuse(403, 'SignatureDoesNotMatch');
      const key = url.pathname.slice(new URL(known.url).pathname.length + 1);
      const id = url.searchParams.get('uploadId') ?? '';
      if (request.method === 'POST' && url.searchParams.has('uploads')) {
        const name = `upload&${++begun}`;
        open.set(name, new Map());
        const upload = `<UploadId>${name.replace('&', '&amp;')}</UploadId>`;
        return new Response(`<InitiateMultipartUploadResult>${upload}</InitiateMultipartUploadResult>`);
      }
      const parts = open.get(id);
      if (!parts) return refuse(404, 'NoSuchUpload');
      const etagOf = (part: number, quote: string) => `${quote}etag-${part}-${parts.get(part)?.length}${quote}`;
      switch (request.method) {
        case 'PUT': {
          const part = Number(url.searchParams.get('partNumber'));
          parts.set(part, new Uint8Array(await request.arrayBuffer()));
          return new Response(null, { headers: { ETag: etagOf(part, '"') } });
        }
        case 'GET': {
          const list = [...parts.keys()].map(
            (part) => `<Part><PartNumber>${part}</PartNumber><ETag>${etagOf(part, '&quot;')}</ETag></Part>`,
          );
          return new Response(`<ListPartsResult>${list.join('')}</ListPartsResult>`);
        }
        case 'POST': {
          const named = [...(await request.text()).matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>(.*?)<\/ETag>/g)];
          const isWhole = named.every(([, part, etag]) => etag === etagOf(Number(part), '"'));
          // S3 begins its answer before the result is known.
          if (!isWhole || named.length === 0) return refuse(200, 'InvalidPart');
          const pieces = named.map(([, part]) => new Blob([parts.get(Number(part)) as Uint8Array<ArrayBuffer>]));
          await bucket.put(key, await new Blob(pieces).arrayBuffer());
          open.delete(id);
          return new Response('<CompleteMultipartUploadResult/>');
        }
        default:
          open.delete(id);
          return new Response(null, { status: 204 });
      }
    },
  };
}
