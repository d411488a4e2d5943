import type { Call, Tool } from './conversation.ts';
import type { Turn } from './scenario.ts';

type Args = Readonly<Record<string, unknown>>;
type Way = (tool: Tool, turn: string) => Args;

/** How each client's shell tool takes a command. */
const SHELLS: Readonly<Record<string, Way>> = {
  Bash: (_, command) => ({ command, description: 'run' }),
  bash: (_, command) => ({ command, description: 'run' }),
  exec_command: (_, cmd) => ({ cmd }),
  shell_command: (_, command) => ({ command }),
  shell: (tool, command) => ({
    command: tool.properties['command']?.type === 'array' ? ['bash', '-c', command] : command,
  }),
  run_shell_command: (_, command) => ({ command, description: 'run', is_background: false }),
};

/** The tools that write a file, and what they call its content. The path goes by the name the schema has for it. */
const WRITERS: Readonly<Record<string, string>> = {
  Write: 'content',
  write: 'content',
  write_file: 'content',
  create: 'file_text',
};
const PATH_NAMES = ['file_path', 'filePath', 'filepath', 'path'];

/** The client's own tool for what a turn wants; null: it wants none, or the client offers none. */
export function chooseTool(tools: readonly Tool[], turn: Turn): Call | null {
  if (turn.verb !== undefined) return verb(tools, turn.verb);
  if (turn.answer !== undefined) {
    const tool = tools.find((one) => one.name === 'StructuredOutput');
    return tool === undefined ? null : { tool, args: turn.answer };
  }
  if (turn.shell !== undefined) return shell(tools, turn.shell);
  return turn.write === undefined ? null : write(tools, turn.write);
}

/** `mcp__ralph__done`, `ralph_done`, `mcp_ralph_done`, `ralph-done`, or `done` in a namespace. */
function verb(tools: readonly Tool[], { name, args }: NonNullable<Turn['verb']>): Call | null {
  const isIt = (tool: Tool): boolean => {
    const whole = tool.namespace === undefined ? tool.name : `${tool.namespace}_${tool.name}`;
    return /ralph/.test(whole) && new RegExp(`[^a-z]${name}$`).test(whole);
  };
  const tool = tools.find(isIt);
  return tool === undefined ? null : { tool, args };
}

function shell(tools: readonly Tool[], command: string): Call | null {
  for (const [name, way] of Object.entries(SHELLS)) {
    const tool = tools.find((one) => one.name === name);
    if (tool !== undefined) return { tool, args: way(tool, command) };
  }
  return null;
}

function write(tools: readonly Tool[], { path, content }: NonNullable<Turn['write']>): Call | null {
  for (const [name, key] of Object.entries(WRITERS)) {
    const tool = tools.find((one) => one.name === name);
    const pathName = PATH_NAMES.find((one) => one in (tool?.properties ?? {}));
    if (tool !== undefined && pathName !== undefined) return { tool, args: { [pathName]: path, [key]: content } };
  }
  // Codex offers none for a model it does not know.
  return shell(tools, `cat > '${path}' <<'END_OF_FILE'\n${content.replace(/\n$/, '')}\nEND_OF_FILE`);
}
