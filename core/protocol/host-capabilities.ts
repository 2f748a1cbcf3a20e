import * as z from 'zod';
import { type Capability, RENDERERS } from '#domain/need.ts';
import { RESOLUTIONS } from '#domain/picture.ts';
import { FPS } from '#domain/render-order.ts';

/** What a host can do. It gets no other jobs. */
export const HostCapabilities = z
  .object({
    renderer: z.enum(RENDERERS).meta({ description: 'What it draws with.' }),
    max_resolution: z.literal(RESOLUTIONS).meta({ description: 'Greatest height in pixels that it renders.' }),
    max_fps: z.int().min(FPS.least).max(FPS.most).meta({ description: 'Most frames a second that it renders.' }),
    game_build: z
      .string()
      .regex(/^[\w.+-]{1,64}$/, 'must be 1 to 64 letters, digits and . _ + -')
      .nullable()
      .meta({ description: 'Build of the game it renders with; null for a renderer without a game.' }),
    agent_version: z.string().max(64).meta({ description: 'Version of its software.' }),
    gpu: z.string().max(100).optional().meta({ description: 'Its GPU, for the operator; left out where it has none.' }),
    driver: z.string().max(64).optional().meta({ description: "Version of the GPU's driver, for the operator." }),
    free_bytes: z.int().min(0).optional().meta({ description: 'Bytes free for its work folder, for the operator.' }),
    encoder: z.string().max(64).optional().meta({ description: 'What it encodes with, for the operator.' }),
    clock_off_s: z.int().optional().meta({
      description: "Seconds that its clock is ahead of the service's, negative if behind; left out within a minute.",
    }),
    skills: z
      .array(z.string().max(32))
      .max(16)
      .readonly()
      .optional()
      .meta({
        description:
          'Work that it knows beyond rendering: `uploads` fetches demos that were uploaded to the service, `inspect` says what is in a demo, `tracks` writes what its replay plays (docs/gateway.md). Without the word it is given no such job.',
        examples: [['inspect', 'uploads']],
      }),
  })
  .meta({ id: 'HostCapabilities', description: 'What a host can do. It is never given a job beyond that.' });
export type HostCapabilities = z.infer<typeof HostCapabilities>;

/** Converts it to the queue's type. */
export function capabilityOf(
  host: Pick<HostCapabilities, 'renderer' | 'max_resolution' | 'max_fps' | 'game_build' | 'skills'>,
): Capability {
  const { renderer, max_resolution, max_fps, game_build, skills } = host;
  return { renderer, maxResolution: max_resolution, maxFps: max_fps, gameBuild: game_build, skills };
}
