import type { ClipFile } from '#domain/job/storage-keys.ts';

const EXTENSIONS: Record<ClipFile, string> = { video: 'mp4', thumbnail: 'jpg', storyboard: 'jpg', tracks: 'bin' };

/**
 * Returns the `Content-Disposition` of a clip's file (RFC 6266), with a file name made from the title. A title comes
 * from a host, so characters that could end the name, the header or a folder are replaced.
 */
export function disposition(title: string, file: ClipFile, isDownload: boolean): string {
  const safe = title
    .replace(/[\p{Cc}\p{Cf}/\\:*?"<>|]+/gu, ' ')
    .trim()
    .slice(0, 120)
    .toWellFormed();
  const name = `${safe || 'clip'}.${EXTENSIONS[file]}`;
  const ascii = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_');
  const kind = isDownload ? 'attachment' : 'inline';
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
