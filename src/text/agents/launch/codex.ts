import type { AgentSettings } from '../../../core/model/settings.ts';
import { MCP_NAME } from '../talk/talk-spec.ts';
import type { McpServer } from '../talk/talk-spec.ts';
import type { Launch, LaunchFacts } from './launch-types.ts';
import { tomlArray, tomlString, tomlTable } from './toml.ts';

/**
 * What git writes when it commits in a linked worktree. The whole common folder would not do: the sandbox keeps any `.git`
 * it is given read-only. So hooks and configuration stay out of the agent's reach.
 */
const writableRoots = ({ git, top }: LaunchFacts): readonly string[] => [
  ...(top === undefined ? [] : [top]),
  git.adminDir,
  `${git.commonDir}/objects`,
  `${git.commonDir}/refs`,
  `${git.commonDir}/logs`,
];

/** Its tools need no leave: nobody is there to give it. Codex hands down only what is named, and a value here could be read by everybody. */
function mcpTable(mcp: McpServer): string {
  const [command = '', ...args] = mcp.command;
  return tomlTable({
    command: tomlString(command),
    args: tomlArray(args),
    env_vars: tomlArray(Object.keys(mcp.env)),
    default_tools_approval_mode: tomlString('approve'),
  });
}

function settings(facts: LaunchFacts): readonly string[] {
  const values = [
    'check_for_update_on_startup=false',
    ...(facts.mcp === null ? [] : [`mcp_servers.${MCP_NAME}=${mcpTable(facts.mcp)}`]),
  ];
  return values.flatMap((value) => ['-c', value]);
}

const NETWORK = ['-c', 'sandbox_workspace_write.network_access=true'];
const NEVER_ASK = ['-c', 'approval_policy="never"'];

function sandboxFlags(agent: AgentSettings, facts: LaunchFacts): readonly string[] {
  if (agent.sandbox === 'none') return ['--dangerously-bypass-approvals-and-sandbox'];
  const roots = writableRoots(facts).flatMap((root) => ['--add-dir', root]);
  return ['-s', 'workspace-write', ...roots, ...NETWORK, ...NEVER_ASK];
}

export function launchCodex(agent: AgentSettings, facts: LaunchFacts): Launch {
  const argv = [
    ...agent.command,
    'exec',
    '--json',
    ...(agent.model === null ? [] : ['-m', agent.model]),
    ...sandboxFlags(agent, facts),
    ...settings(facts),
    // The prompt is on standard input. What the user adds comes after it: a flag that takes a list would swallow the dash.
    '-',
    ...agent.args,
  ];
  return { argv, env: agent.env, protocol: 'codex', talk: null };
}

export function launchCodexServer(agent: AgentSettings, facts: LaunchFacts): Launch {
  const roots = `sandbox_workspace_write.writable_roots=${tomlArray(writableRoots(facts))}`;
  const sandbox = agent.sandbox === 'none' ? [] : ['-c', roots, ...NETWORK];
  const argv = [...agent.command, 'app-server', ...sandbox, ...settings(facts), ...agent.args];
  const talk = {
    kind: 'codex-app-server',
    argv,
    cwd: facts.cwd,
    model: agent.model,
    sandbox: agent.sandbox,
  } as const;
  return { argv, env: agent.env, protocol: 'codex-app-server', talk };
}
