import * as z from 'zod';
import { FPS, RESOLUTIONS } from '#domain/clip/render-order.ts';
import { type Capability, RENDERERS } from '#domain/host/need.ts';
import * as field from '../lib/fields.ts';

/** What a host can do. It gets no other jobs. */
export const HostCapabilities = z
  .object({
    renderer: z.enum(RENDERERS).describe('The renderer of the host.'),
    max_resolution: z.literal(RESOLUTIONS).describe('Greatest `resolution` that the host renders.'),
    max_fps: z.int().min(FPS.least).max(FPS.most).describe('Highest frame rate that the host renders.'),
    game_build: z
      .string()
      .regex(/^[\w.+-]{1,64}$/, 'must be 1 to 64 letters, digits and . _ + -')
      .nullable()
      .describe('Build of the game on the host. Null for a renderer without a game.'),
    agent_version: z.string().max(64).describe('Version of the host program.'),
    gpu: z.string().max(100).optional().describe('Model of the GPU, for the operator. Left out if the host has none.'),
    driver: z.string().max(64).optional().describe("Version of the GPU's driver, for the operator."),
    free_bytes: z.int().min(0).optional().describe('Free bytes for the work folder, for the operator.'),
    max_film_height: field
      .integer('Greatest height in pixels that the game films, for the operator. A taller picture is scaled up.')
      .optional(),
    encoder: z.string().max(64).optional().describe('Video encoder of the host, for the operator.'),
    clock_off_s: field
      .integer("Seconds that the host's clock is ahead of the service's, negative if behind. Left out within a minute.")
      .optional(),
    skills: z
      .array(z.string().max(32))
      .max(16)
      .readonly()
      .optional()
      .meta({
        description:
          'Work that not every host can do: `uploads` fetches demos that were uploaded to the service, `inspect` reports the contents of a demo, `tracks` writes the data of its replay, `aspect` draws other shapes than 16:9, `names` replaces the names of players (docs/gateway.md). A host gets no job of a kind that is missing.',
        examples: [['inspect', 'uploads']],
      }),
  })
  .meta({ id: 'HostCapabilities', description: 'The abilities of a host. A host never gets a job beyond them.' });
export type HostCapabilities = z.infer<typeof HostCapabilities>;

/** Converts it to the queue's type. */
export function capabilityOf(
  host: Pick<HostCapabilities, 'renderer' | 'max_resolution' | 'max_fps' | 'game_build' | 'skills'>,
): Capability {
  const { renderer, max_resolution, max_fps, game_build, skills } = host;
  return { renderer, maxResolution: max_resolution, maxFps: max_fps, gameBuild: game_build, skills };
}
