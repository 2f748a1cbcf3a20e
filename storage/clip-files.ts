/**
 * Removes every object under a prefix. Repeatable; a prefix with nothing under it is fine.
 * One attempt has two files, so one page of the listing is all there is.
 */
export async function deletePrefix(bucket: R2Bucket, prefix: string): Promise<void> {
  const listed = await bucket.list({ prefix });
  if (listed.objects.length > 0) await bucket.delete(listed.objects.map((object) => object.key));
}
