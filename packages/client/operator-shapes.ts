import type * as z from 'zod';
import type { ParamName, Params } from '#protocol/routes.ts';
import type { ADMIN_ROUTES, CONSOLE_ROUTES, OPERATE_ROUTES } from '#protocol/service-routes.ts';
import type { ADMIN_OPERATIONS } from '../../tools/openapi/operations/admin.ts';
import type { CONSOLE_OPERATIONS, OPERATE_OPERATIONS } from '../../tools/openapi/operations/operate.ts';

/** The types of the operator's calls, inferred from the descriptions in `tools/openapi/`: operators have a checkout. */

type Docs = typeof ADMIN_OPERATIONS & typeof OPERATE_OPERATIONS & typeof CONSOLE_OPERATIONS;
type Lines = typeof ADMIN_ROUTES & typeof OPERATE_ROUTES & typeof CONSOLE_ROUTES;

type ParamsOf<Line extends Lines[keyof Lines]> = [ParamName<Line>] extends [never] ? unknown : { params: Params<Line> };

/** A query is text: what is read as a number may be given as one. */
type QueryOf<Doc> = Doc extends { query: infer Shape extends z.ZodType }
  ? {
      query?:
        | { [Name in keyof z.input<Shape>]?: z.input<Shape>[Name] | z.output<Shape>[Name & keyof z.output<Shape>] }
        | undefined;
    }
  : unknown;

type BodyOf<Doc> = Doc extends { request: { schema: infer Shape extends z.ZodType } }
  ? { body: z.input<Shape> }
  : unknown;

type AnswerOf<Answer> = Answer extends { content: { schema: infer Shape extends z.ZodType } }
  ? { answer: z.output<Shape> }
  : Answer extends { content: { eventSchema: infer Shape extends z.ZodType } }
    ? { event: z.output<Shape> }
    : { answer: undefined };

/** What each operation takes and answers. */
export type OperatorOperations = {
  [Name in keyof Docs]: ParamsOf<Lines[Name]> &
    QueryOf<Docs[Name]> &
    BodyOf<Docs[Name]> &
    AnswerOf<Docs[Name]['answers'][keyof Docs[Name]['answers']]>;
};

type Answer<Name extends keyof OperatorOperations> = OperatorOperations[Name] extends { answer: infer Result }
  ? Result
  : never;
type Body<Name extends keyof OperatorOperations> = OperatorOperations[Name] extends { body: infer Given }
  ? Given
  : never;

export type Account = Answer<'getAccount'>;
export type ApiKey = Answer<'listKeys'>['keys'][number];
export type ConsoleSession = Answer<'getSession'>;
export type Host = Answer<'listHosts'>['hosts'][number];
export type HostChanges = Body<'changeHost'>;
export type JobStory = Answer<'getJobStory'>;
export type NewHost = Body<'createHost'>;
export type Overview = Answer<'getOverview'>;
