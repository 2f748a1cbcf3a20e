import * as z from 'zod';
import { ERROR_CODE_LIST } from '../domain/error-codes.ts';
import type { RenderOrder } from '../domain/render-order.ts';

/**
 * What a render host and the gateway say to each other, version 1. A host polls: it claims a job under a lease,
 * keeps the lease alive with heartbeats, uploads two files in parts, then completes the job, fails it or hands it back.
 * Every report names the lease's fence; a report under a fence that is no longer held gets 409 and changes nothing.
 */
export const GATEWAY_PREFIX = '/gateway/v1';

export const MAX_CLAIM_WAIT_S = 30;
/** Every part but the last has exactly this many bytes: R2 asks for uniform parts of at least 5 MiB. */
export const PART_BYTES = 8 * 1024 * 1024;
/** 4 GiB: more than half an hour at 1440p. */
const MAX_PARTS = 512;

const Fence = z.int().min(1);
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hexadecimal');

/** What a host can do; it is never given a job beyond that. */
export const HostCapabilities = z.object({
  renderer: z.enum(['radar', 'cs2']),
  /** Greatest height in pixels. */
  max_resolution: z.union([z.literal(1080), z.literal(1440)]),
  max_fps: z.int().min(5).max(120),
  /** Build of the game it renders with; null for a renderer without a game. */
  game_build: z.string().max(64).nullable(),
  agent_version: z.string().max(64),
});
export type HostCapabilities = z.infer<typeof HostCapabilities>;

export const ClaimRequest = z.object({
  capabilities: HostCapabilities,
  /** How long to hold the request while there is no work, in seconds. */
  wait_s: z.number().min(0).max(MAX_CLAIM_WAIT_S).default(MAX_CLAIM_WAIT_S),
});
export type ClaimRequest = z.infer<typeof ClaimRequest>;

/** The answer to a claim that found work; a claim that found none gets 204. */
export interface Grant {
  readonly job_id: string;
  readonly order: RenderOrder;
  /** The domains a demo, and what it redirects to, may lie on; `*` stands for any. */
  readonly accepted_domains: readonly string[];
  /** Whether private and loopback addresses may be downloaded from: only on a stack that runs on one machine. */
  readonly allow_private_addresses: boolean;
  readonly lease: {
    readonly fence: number;
    /** The lease is lost after this long without a heartbeat. */
    readonly ttl_s: number;
    /** Send a heartbeat this often, and one before work begins. */
    readonly heartbeat_s: number;
  };
  readonly part_bytes: number;
}

export const HeartbeatRequest = z.object({
  fence: Fence,
  phase: z.enum(['prefetch', 'render']),
  /** 0 to 1, of the whole job. */
  progress: z.number().min(0).max(1),
});
export type HeartbeatRequest = z.infer<typeof HeartbeatRequest>;

/** The query of a request for the job's watermark. */
export const WatermarkQuery = z.object({ fence: z.coerce.number().pipe(Fence) });

const FileKind = z.enum(['video', 'thumbnail']);

export const UploadBegin = z.object({ fence: Fence, file: FileKind });
export type UploadBegin = z.infer<typeof UploadBegin>;
export const UploadBegun = z.object({ upload_id: z.string() });

/** Carried by a part's query: the body is the part itself. */
export const UploadPartQuery = z.object({
  fence: z.coerce.number().pipe(Fence),
  file: FileKind,
  upload_id: z.string().min(1),
  part: z.coerce.number().int().min(1).max(MAX_PARTS),
  sha256: Sha256,
});
export type UploadPartQuery = z.infer<typeof UploadPartQuery>;
export const UploadedPart = z.object({ part: z.int(), etag: z.string() });
export type UploadedPart = z.infer<typeof UploadedPart>;

export const UploadEnd = z.object({
  fence: Fence,
  file: FileKind,
  upload_id: z.string().min(1),
  parts: z.array(UploadedPart).min(1).max(MAX_PARTS),
});
export type UploadEnd = z.infer<typeof UploadEnd>;

const UploadedFile = z.object({ bytes: z.int().min(1), sha256: Sha256 });

export const CompleteRequest = z.object({
  fence: Fence,
  title: z.string().min(1).max(300),
  /** Seconds; 0 when the length could not be read. */
  duration_seconds: z.number().min(0),
  video: UploadedFile,
  thumbnail: UploadedFile,
});
export type CompleteRequest = z.infer<typeof CompleteRequest>;

export const FailRequest = z.object({
  fence: Fence,
  code: z.enum(ERROR_CODE_LIST as [(typeof ERROR_CODE_LIST)[number], ...(typeof ERROR_CODE_LIST)[number][]]),
  detail: z.string().max(2000),
});
export type FailRequest = z.infer<typeof FailRequest>;

export const ReleaseRequest = z.object({ fence: Fence });
