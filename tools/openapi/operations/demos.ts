import { Demo, InspectRequest } from '#protocol/demos.ts';
import { API_ROUTES, href } from '#protocol/routes.ts';
import { PartQuery, Upload, UploadList, UploadListQuery, UploadRequest } from '#protocol/uploads.ts';
import {
  DEMO,
  DEMO_ID,
  DEMO_REQUEST,
  OPEN_UPLOAD,
  PENDING_DEMO,
  UPLOAD_ID,
  UPLOAD_REQUEST,
  UPLOAD_SUMMARY,
} from '../examples.ts';
import { type OperationDoc, only } from '../operation.ts';

const COMPLETE = { ...UPLOAD_SUMMARY, parts: [] };

const DEMO_LOCATION = {
  Location: { description: 'Where the demo is read.', example: href(API_ROUTES.getDemo, { id: DEMO_ID }) },
};

export const DEMO_OPERATIONS = {
  inspectDemo: {
    tag: 'Demos',
    summary: 'Look into a demo',
    description: [
      'Has a render host read the demo and say what is in it: players, rounds, kills, and highlights, each with the body of a submit that makes a clip of it. It is short work, goes before best-effort renders, and is not metered. Ask for the demo until its `state` is no longer `pending`.',
      'The same address is read once: asked again, the answer is what was found, for 7 days. One that could not be read is tried again.',
    ].join('\n\n'),
    request: { schema: InspectRequest, examples: only(DEMO_REQUEST) },
    answers: {
      202: {
        description: 'The demo is being read.',
        content: { schema: Demo, examples: only(PENDING_DEMO) },
        headers: DEMO_LOCATION,
      },
      200: {
        description: 'It was read before, or its address is not accepted.',
        content: { schema: Demo, examples: only(DEMO) },
        headers: DEMO_LOCATION,
      },
    },
    problems: ['limit_reached'],
  },
  getDemo: {
    tag: 'Demos',
    summary: 'Read what is in a demo',
    description: 'While it is `pending`, ask again after a second or two.',
    answers: {
      200: {
        description: 'The demo as it stands.',
        content: {
          schema: Demo,
          examples: {
            ready: { summary: 'What was found', value: DEMO },
            pending: { summary: 'Not read yet', value: PENDING_DEMO },
          },
        },
      },
    },
  },
  createUpload: {
    tag: 'Demos',
    summary: 'Upload a demo',
    description: [
      'For a demo that lies at no public address. Say what you have, `PUT` each of the `parts` that the answer lists to its `url` with your key, or without it where `is_signed`, and complete the upload. Then name its `demo_url` in a job: only jobs of your account can use it.',
      'Asked again for the same content, the answer is the same upload with the parts that are missing: so you go on after a connection broke, and send a demo once for all its clips.',
    ].join('\n\n'),
    request: { schema: UploadRequest, examples: only(UPLOAD_REQUEST) },
    answers: {
      201: {
        description: 'The upload is begun.',
        content: { schema: Upload, examples: only(OPEN_UPLOAD) },
        headers: {
          Location: {
            description: 'Where the upload is read.',
            example: href(API_ROUTES.getUpload, { id: UPLOAD_ID }),
          },
        },
      },
      200: {
        description: 'You have an upload of this content already.',
        content: {
          schema: Upload,
          examples: {
            complete: { summary: 'There is nothing left to send', value: COMPLETE },
            open: { summary: 'Some parts are missing', value: OPEN_UPLOAD },
          },
        },
      },
    },
    problems: ['limit_reached'],
  },
  listUploads: {
    tag: 'Demos',
    summary: 'List uploads',
    description: 'Newest first.',
    query: UploadListQuery,
    answers: {
      200: {
        description: 'A page of uploads.',
        content: { schema: UploadList, examples: only({ uploads: [UPLOAD_SUMMARY], next_cursor: null }) },
      },
    },
  },
  getUpload: {
    tag: 'Demos',
    summary: 'Read an upload',
    description: 'What has come of it, and what is missing. The file itself is given to render hosts alone.',
    answers: { 200: { description: 'The upload.', content: { schema: Upload, examples: only(OPEN_UPLOAD) } } },
  },
  sendUploadPart: {
    tag: 'Demos',
    summary: 'Send a part',
    description:
      'The body is the bytes of this part, as many as the upload says. Parts may come in any order and at the same time; sending one again replaces it.',
    query: PartQuery,
    request: { types: ['application/octet-stream'] },
    answers: { 204: { description: 'The part is stored.' } },
    problems: ['upload_incomplete'],
  },
  completeUpload: {
    tag: 'Demos',
    summary: 'Complete an upload',
    description:
      'Compares the file with the SHA-256 that was announced. One that is another is removed and has to be sent again. Completing again changes nothing.',
    answers: { 200: { description: 'The demo is ready.', content: { schema: Upload, examples: only(COMPLETE) } } },
    problems: ['upload_incomplete'],
  },
  deleteUpload: {
    tag: 'Demos',
    summary: 'Delete an upload',
    description:
      'The demo is gone at once, and its bytes count no more. Jobs that have yet to fetch it fail with `demo_404`.',
    answers: { 204: { description: 'The upload is deleted.' } },
  },
} as const satisfies Partial<Record<keyof typeof API_ROUTES, OperationDoc>>;
