import { createClipIds } from '#service/clip-ids.ts';
import { createService } from '#service/service.ts';
import { bindings } from './service.ts';

const ids = createClipIds(createService(bindings).settings.clipIdSecret);

/** The id of the clip that a job makes. */
export const clipIdOf = ids.clipIdOf;

/** The job that makes a clip. */
export const jobIdOf = ids.ownerOf;
