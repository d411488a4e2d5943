import { setImmediate as nextTurn } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { CallToolResult, Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import { AppError } from '../../core/model/errors.ts';
import type { CommandSpec } from '../call/command-spec.ts';
import { claimFrom } from '../verbs/caller.ts';
import { callTool, refusal } from './call-tool.ts';
import { inputSchemaOf } from './parameters.ts';
import type { Tool } from './tools.ts';
import { offered, refuseElsewhere, toolsOf } from './tools.ts';

const ABOUT =
  'Inside a ralph loop: say how far you are with progress, that you need a person with block, that you are done with done. Outside one: run loops, see their state with status and why, land what is ready, and make worktrees to work in beside this checkout; nothing is taken away before it is kept.';

export interface Serving {
  readonly commands: readonly CommandSpec[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  readonly signal: AbortSignal;
}

/** Speaks MCP on standard input and output until the client hangs up or the signal says so. */
export async function serve({ commands, cwd, env, version, signal }: Serving): Promise<void> {
  const tools = toolsOf(commands);
  const place = { cwd, env, claim: claimFrom(env) };
  const open = new Set<Promise<unknown>>();
  const gone = new AbortController();
  const server = new Server({ name: 'ralph', version }, { capabilities: { tools: {} }, instructions: ABOUT });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: offered(tools, place).map(listed) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal: cancelled, sendNotification }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `no tool is called ${params.name}`);
    const progressToken = params._meta?.progressToken;
    let progress = 0;
    const onSay = (message: string): void => {
      if (progressToken === undefined) return;
      progress += 1;
      void sendNotification({ method: 'notifications/progress', params: { progressToken, progress, message } });
    };
    const answered = told(async () => {
      refuseElsewhere(tool, place);
      return callTool(tool, params.arguments ?? {}, {
        cwd,
        env,
        signal: AbortSignal.any([cancelled, gone.signal]),
        onSay,
      });
    });
    open.add(answered);
    return await answered.finally(() => open.delete(answered));
  });
  const ended = new Promise<void>((resolve) => {
    server.onclose = resolve;
    // The transport of the SDK does not look for the end of its input.
    process.stdin
      .once('end', resolve)
      .once('close', resolve)
      .once('error', () => resolve());
    process.stdout.once('error', () => resolve());
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.connect(new StdioServerTransport());
  await ended;
  // What was asked before the end is still answered, and its facts are written; what takes long ends in order.
  gone.abort();
  await Promise.allSettled(open);
  await nextTurn();
  await server.close();
}

/** Refusals are results, not protocol errors: the model reads them and can act on the remedy. */
async function told(answer: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return refusal(error);
  }
}

function listed(tool: Tool): ListedTool {
  const { name, spec, mark } = tool;
  return {
    name,
    description: `${spec.summary}.`,
    inputSchema: inputSchemaOf(tool),
    // The protocol's own words.
    annotations: Object.fromEntries([
      ['readOnlyHint', mark.does === 'reads'],
      ['destructiveHint', mark.does === 'takes'],
      ['openWorldHint', false],
    ]),
  };
}
