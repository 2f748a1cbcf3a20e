import { expect, it } from 'vitest';
import { presignedUrl } from '#storage/s3.ts';
import { isSigned } from '../../support/s3.ts';

/** The example of https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html, with its answer. */
const AWS = {
  url: 'https://examplebucket.s3.amazonaws.com',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
};
const AT = Date.parse('2013-05-24T00:00:00Z');
const SIGNATURE = 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404';

it('an address is signed as AWS signs its own example', async () => {
  const url = await presignedUrl(AWS, { method: 'GET', key: 'test.txt', seconds: 86_400, now: AT });
  expect(new URL(url).searchParams.get('X-Amz-Signature')).toBe(SIGNATURE);
  expect(isSigned(new Request(url), AWS, AT)).toBe(true);
});

it('one of a part opens for that part, of that length, for its time', async () => {
  const part = { method: 'PUT', key: 'demos/a/b', query: { partNumber: '2', uploadId: 'an/id+=' } };
  const url = await presignedUrl(AWS, { ...part, headers: { 'Content-Length': '5' }, seconds: 60, now: AT });
  const put = (to = url, bytes = '5', at = AT) =>
    isSigned(new Request(to, { method: 'PUT', headers: { 'Content-Length': bytes } }), AWS, at);
  expect(put()).toBe(true);
  expect(put(url, '5', AT + 59_000)).toBe(true);
  expect(put(url, '5', AT + 61_000)).toBe(false);
  expect(put(url, '6')).toBe(false);
  expect(put(url.replace('partNumber=2', 'partNumber=3'))).toBe(false);
  expect(put(url.replace('demos/a/b', 'demos/a/c'))).toBe(false);
  expect(isSigned(new Request(url), AWS, AT)).toBe(false);
  expect(url).not.toContain(AWS.secretAccessKey);
});
