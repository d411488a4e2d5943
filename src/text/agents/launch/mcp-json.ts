import { MCP_NAME } from '../talk/talk-spec.ts';
import type { McpServer } from '../talk/talk-spec.ts';

/** The values stay in the environment, where the client finds them: a command line is there for everybody to read. */
export const fromEnvironment = ({ command, env }: McpServer): McpServer => ({
  command,
  env: Object.fromEntries(Object.keys(env).map((name) => [name, `\${${name}}`])),
});

/** The `mcpServers` document that many clients take, with what one of them wants beside. */
export function mcpJson(mcp: McpServer, extra: Readonly<Record<string, unknown>> = {}): string {
  const [command, ...args] = mcp.command;
  return JSON.stringify({ mcpServers: { [MCP_NAME]: { command, args, env: mcp.env, ...extra } } });
}

export const copilotMcp = (mcp: McpServer): readonly string[] => [
  '--additional-mcp-config',
  mcpJson(mcp, { type: 'local', tools: ['*'] }),
];
