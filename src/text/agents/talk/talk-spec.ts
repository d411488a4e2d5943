/** How a client starts our MCP server. */
export interface McpServer {
  readonly command: readonly string[];
  /** Clients hand down little or nothing of their own environment: what the server needs is named here. */
  readonly env: Readonly<Record<string, string>>;
}

/** The name our MCP server has in every client. */
export const MCP_NAME = 'ralph';

/** What the driver process needs to hold a conversation: plain data, written to the run folder as talk.json. */
export type TalkSpec = AcpSpec | CodexServerSpec | ClaudeStdioSpec;

interface Started {
  /** The client; it inherits the driver's environment. */
  readonly argv: readonly string[];
  readonly cwd: string;
}

export interface AcpSpec extends Started {
  readonly kind: 'acp';
  /** To be chosen by protocol; null: the command line did, or the client's own default. */
  readonly model: string | null;
  readonly mcp: McpServer | null;
}

export interface CodexServerSpec extends Started {
  readonly kind: 'codex-app-server';
  readonly model: string | null;
  readonly sandbox: 'workspace' | 'none';
  /** The shape of the last answer; null: free. */
}

export interface ClaudeStdioSpec extends Started {
  readonly kind: 'claude-stdio';
}
