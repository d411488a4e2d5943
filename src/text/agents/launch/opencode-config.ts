import { parse } from 'jsonc-parser';
import { MCP_NAME } from '../talk/talk-spec.ts';
import type { McpServer } from '../talk/talk-spec.ts';

/** Opencode takes a whole configuration in one variable. */
const VARIABLE = 'OPENCODE_CONFIG_CONTENT';

export interface OpencodeWish {
  readonly model: string | null;
  readonly mcp: McpServer | null;
}

/** The variable with our wishes beside what it holds already; nothing if there is no wish. */
export function opencodeEnv(
  wish: OpencodeWish,
  environment: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (wish.model === null && wish.mcp === null) return {};
  const before = parsed(environment[VARIABLE]);
  const servers = asRecord(before['mcp']);
  const merged = {
    ...before,
    ...(wish.model === null ? {} : { model: wish.model }),
    ...(wish.mcp === null
      ? {}
      : { mcp: { ...servers, [MCP_NAME]: { type: 'local', command: wish.mcp.command, environment: wish.mcp.env } } }),
  };
  return { [VARIABLE]: JSON.stringify(merged) };
}

/** Comments are allowed in it. */
const parsed = (text: string | undefined): Readonly<Record<string, unknown>> =>
  text === undefined ? {} : asRecord(parse(text, [], { allowTrailingComma: true }));

const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
