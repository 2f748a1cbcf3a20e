import type { ClipFile } from '#domain/storage-keys.ts';

const EXTENSIONS: Record<ClipFile, string> = { video: 'mp4', thumbnail: 'jpg', storyboard: 'jpg' };

/**
 * `Content-Disposition` of a clip's file (RFC 6266): shown in place, or saved under a name made from its title. A title
 * comes from a host: nothing in it may end the name, the header, or a folder.
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
