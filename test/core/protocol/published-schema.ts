import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export const DOCUMENT = JSON.parse(readFileSync(new URL('../../../src/static/openapi.json', import.meta.url), 'utf8'));

// A validator ignores the document around the schemas.
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema(DOCUMENT, 'openapi.json');

/** Whether the published schema of a submit accepts a body. */
export const schemaTakes = ajv.compile({ $ref: 'openapi.json#/components/schemas/SubmitRequest' });

const BEYOND_JSON_SCHEMA = [
  // JSON Schema compares no fields.
  /64 ticks after start_tick|64000 ticks after start_tick|must be in a segment/,
  // JSON Schema does not parse URLs: invalid hosts, ports beyond 65535.
  /valid host and port/,
  // JSON Schema accepts any string.
  /surrogate/,
];

/** Whether JSON Schema cannot express the rule of a message. Only the service refuses such a body. */
export const isBeyondSchema = (message: string) => BEYOND_JSON_SCHEMA.some((rule) => rule.test(message));
