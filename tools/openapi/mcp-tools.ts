import { createRequire } from 'node:module';
import * as z from 'zod';
import { tidySchemas } from './build-document.ts';

type DeclaredTools = Readonly<Record<string, { readonly description: string; readonly args: z.ZodType }>>;

/** Returns the definitions of the tools of `/mcp` as JSON. They are loaded like the operations. */
export function formatMcpTools(): string {
  const { TOOLS }: { TOOLS: DeclaredTools } = createRequire(import.meta.url)('../../src/agents/tools.ts');
  const tools = Object.entries(TOOLS).map(([name, { description, args }]) => {
    const { $schema: _, ...inputSchema } = tidySchemas(z.toJSONSchema(args, { io: 'input', override: withoutPattern }));
    // Clients ask their users before they call one that is not read-only. The address of a demo can carry data away.
    const isAsked = name === 'render' || name === 'inspect_demo';
    const hints = { readOnlyHint: !isAsked, openWorldHint: isAsked };
    const annotations = { ...hints, destructiveHint: false, idempotentHint: true };
    return { name, description, inputSchema, annotations };
  });
  return `${JSON.stringify(tools, null, 2)}\n`;
}

/** Models do not need the long patterns: the answer to a wrong text says what is wrong. */
function withoutPattern({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  delete jsonSchema.pattern;
}
