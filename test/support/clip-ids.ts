import { createClipIds } from '#service/clip-ids.ts';
import { createService } from '#service/service.ts';
import { bindings } from './service.ts';

const ids = createClipIds(createService(bindings).settings.clipIdSecret);

/** Returns the id of the clip of a job. */
export const clipIdOf = ids.clipIdOf;

/** Returns the id of the job of a clip. */
export const jobIdOf = ids.ownerOf;
