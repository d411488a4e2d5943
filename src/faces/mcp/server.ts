import { setImmediate as nextTurn } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { CallToolResult, Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import { AppError } from '../../core/model/errors.ts';
import type { Call } from '../call/handler.ts';
import type { CallerPlace } from '../verbs/caller.ts';
import { messagesOf } from './read-messages.ts';
import { SCHEMA_OF, givenTo } from './tool.ts';
import type { Tool } from './tool.ts';
import { toolCalled, toolsFor } from './tools.ts';

const ABOUT =
  'Inside a ralph loop: say how far you are with progress, that you need a person with block, that you are done with done. Outside one: worktrees to work in beside this checkout; nothing is taken away before it is kept.';

/** Speaks MCP on standard input and output until the client hangs up or the signal says so. */
export async function serve(call: Call, place: CallerPlace, version: string, signal: AbortSignal): Promise<void> {
  const open = new Set<Promise<unknown>>();
  const server = new Server({ name: 'ralph', version }, { capabilities: { tools: {} }, instructions: ABOUT });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: toolsFor(place).map(listed) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const tool = toolCalled(place, params.name);
    if (tool === null) throw new McpError(ErrorCode.InvalidParams, `no tool is called ${params.name}`);
    const answered = answer(tool, call, place, params.arguments ?? {});
    open.add(answered);
    return await answered.finally(() => open.delete(answered));
  });
  const input = messagesOf(process.stdin, (refusal) => process.stdout.write(`${JSON.stringify(refusal)}\n`));
  const ended = new Promise<void>((resolve) => {
    server.onclose = resolve;
    // The transport of the SDK does not look for the end of its input.
    input.once('end', resolve);
    input.once('close', resolve);
    process.stdout.once('error', () => resolve());
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.connect(new StdioServerTransport(input));
  await ended;
  // What was asked before the end is still answered, and its facts are written.
  await Promise.allSettled(open);
  await nextTurn();
  await server.close();
  // A pipe goes on reading, and an input that is read keeps the process alive.
  process.stdin.unpipe(input).pause();
}

/** Refusals are results, not protocol errors: the model reads them and can act on the remedy. */
async function answer(
  tool: Tool,
  call: Call,
  place: CallerPlace,
  sent: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  try {
    const { text, data } = await tool.call(call, place, givenTo(tool, sent));
    return { content: [{ type: 'text', text: text === '' ? 'nothing found' : text }], structuredContent: { ...data } };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const told = tool.refused?.(error);
    if (told !== undefined)
      return { content: [{ type: 'text', text: told.text }], structuredContent: { ...told.data }, isError: true };
    const lines = [`error[${error.code}]: ${error.message}`, ...error.facts];
    if (error.remedy !== null) lines.push(`fix: ${error.remedy}`);
    return { content: [{ type: 'text', text: lines.join('\n') }], isError: true };
  }
}

function listed(tool: Tool): ListedTool {
  const properties = Object.fromEntries(
    tool.parameters.map(({ name, about, kind }) => [name, { ...SCHEMA_OF[kind], description: about }]),
  );
  const required = tool.parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
    // The protocol's own words; a client may ask less of its user for what only reads.
    annotations: Object.fromEntries([
      ['readOnlyHint', tool.isReadOnly],
      ['destructiveHint', tool.isTaking === true],
      ['openWorldHint', false],
    ]),
  };
}
