import { open } from 'node:fs/promises';

/** Properties of an MP4 file. ISO/IEC 14496-12 (boxes) and 14496-15 (`avc1`). */
export interface Mp4Info {
  /** Whether `moov` comes before `mdat`, so that a player can start before it has the whole file. */
  readonly fastStart: boolean;
  readonly video: Mp4Video | null;
  readonly hasAudio: boolean;
}

export interface Mp4Video {
  /** Sample entry, such as `avc1`. */
  readonly codec: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly durationSeconds: number;
  /** Frames. */
  readonly samples: number;
  /** Null if frames have different durations. */
  readonly framesPerSecond: number | null;
}

interface Box {
  readonly type: string;
  /** The box's content. */
  readonly body: DataView;
}

/** A `moov` of a clip has some hundred kilobytes. A larger one is not ours, and is not read into memory. */
const MAX_MOOV_BYTES = 64 * 1024 * 1024;

/**
 * Reads the boxes of a file. Resolves with null for an incomplete MP4 file: a cut-off box, no `moov` or no `mdat`.
 * Throws errors of the file system.
 */
export async function readMp4(path: string): Promise<Mp4Info | null> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    let moov: { readonly at: number; readonly body: DataView } | null = null;
    let mdatAt: number | null = null;
    const header = new DataView(new ArrayBuffer(16));
    for (let at = 0; at < size; ) {
      const { bytesRead } = await file.read(header, 0, 16, at);
      const span = bytesRead < 8 ? null : boxSpan(header, bytesRead, size - at);
      if (span === null) return null;
      const type = typeAt(header, 4);
      if (type === 'mdat') mdatAt ??= at;
      if (type === 'moov') {
        if (span.size > MAX_MOOV_BYTES) return null;
        const body = new DataView(new ArrayBuffer(span.size - span.header));
        await file.read(body, 0, body.byteLength, at + span.header);
        moov = { at, body };
      }
      at += span.size;
    }
    if (moov === null || mdatAt === null) return null;
    const tracks = children(moov.body).filter(({ type }) => type === 'trak');
    const handlers = tracks.map((track) => {
      const handler = descend(track.body, ['mdia', 'hdlr']);
      return handler === null || handler.byteLength < 12 ? null : typeAt(handler, 8);
    });
    const videoTrack = tracks[handlers.indexOf('vide')];
    return {
      fastStart: moov.at < mdatAt,
      video: videoTrack === undefined ? null : videoOf(videoTrack.body),
      hasAudio: handlers.includes('soun'),
    };
  } finally {
    await file.close();
  }
}

/**
 * Returns the sizes in bytes of a box and its header; null for a box larger than `available` or smaller than its
 * header.
 */
function boxSpan(header: DataView, known: number, available: number): { size: number; header: number } | null {
  const short = header.getUint32(0);
  if (short === 1 && known < 16) return null;
  const size = short === 1 ? Number(header.getBigUint64(8)) : short === 0 ? available : short;
  const headerBytes = short === 1 ? 16 : 8;
  return size < headerBytes || size > available ? null : { size, header: headerBytes };
}

function children(view: DataView): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= view.byteLength; ) {
    const rest = new DataView(view.buffer, view.byteOffset + at, view.byteLength - at);
    const span = boxSpan(rest, rest.byteLength, rest.byteLength);
    if (span === null) break;
    const body = new DataView(view.buffer, view.byteOffset + at + span.header, span.size - span.header);
    boxes.push({ type: typeAt(rest, 4), body });
    at += span.size;
  }
  return boxes;
}

function descend(view: DataView, path: readonly string[]): DataView | null {
  let current: DataView | undefined = view;
  for (const type of path) {
    current = children(current).find((box) => box.type === type)?.body;
    if (current === undefined) return null;
  }
  return current;
}

function videoOf(track: DataView): Mp4Video | null {
  const media = descend(track, ['mdia', 'mdhd']);
  const descriptions = descend(track, ['mdia', 'minf', 'stbl', 'stsd']);
  const sizes = descend(track, ['mdia', 'minf', 'stbl', 'stsz']);
  if (media === null || descriptions === null || sizes === null) return null;
  if (media.byteLength < 24 || descriptions.byteLength < 44 || sizes.byteLength < 12) return null;
  const isLong = media.getUint8(0) === 1;
  if (isLong && media.byteLength < 32) return null;
  const timescale = media.getUint32(isLong ? 20 : 12);
  const duration = isLong ? Number(media.getBigUint64(24)) : media.getUint32(16);
  return {
    codec: typeAt(descriptions, 12),
    width: descriptions.getUint16(40),
    height: descriptions.getUint16(42),
    durationSeconds: timescale === 0 ? 0 : duration / timescale,
    samples: sizes.getUint32(8),
    framesPerSecond: constantRate(track, timescale),
  };
}

/** `stts` lists runs of frames of equal duration. */
function constantRate(track: DataView, timescale: number): number | null {
  const times = descend(track, ['mdia', 'minf', 'stbl', 'stts']);
  if (times === null || times.byteLength < 16) return null;
  const runs = Math.min(times.getUint32(4), (times.byteLength - 8) >> 3);
  const first = times.getUint32(12);
  for (let run = 1; run < runs; run++) if (times.getUint32(12 + run * 8) !== first) return null;
  return first === 0 ? null : timescale / first;
}

function typeAt(view: DataView, at: number): string {
  return String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3));
}
