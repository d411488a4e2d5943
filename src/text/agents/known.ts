import type { AgentSettings, AgentTable, Driver } from '../../core/model/settings.ts';

export interface KnownAgent {
  readonly driver: Driver;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** `NAME`, `PREFIX_*`, or either with `if VARIABLE`: only where that one is set. */
  readonly passEnv: readonly string[];
  /** What a person types to log in. */
  readonly login: string;
}

const MAX_TURNS = 500;
const STALL_MS = 30 * 60_000;

/** Agents that need no `[agents.NAME]` table, in the order in which an installed one is chosen. */
export const KNOWN_AGENTS: ReadonlyMap<string, KnownAgent> = new Map<string, KnownAgent>([
  [
    'claude',
    {
      driver: 'claude',
      command: ['claude'],
      // Its memory folder belongs to the main checkout: loops would write into each other's.
      env: { CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1', DISABLE_AUTOUPDATER: '1' },
      passEnv: [
        'ANTHROPIC_*',
        'CLAUDE_*',
        'DISABLE_*',
        'IS_SANDBOX',
        'AWS_* if CLAUDE_CODE_USE_BEDROCK',
        'GOOGLE_* if CLAUDE_CODE_USE_VERTEX',
        'CLOUD_ML_REGION if CLAUDE_CODE_USE_VERTEX',
      ],
      login: 'claude /login',
    },
  ],
  [
    'codex',
    {
      driver: 'codex',
      command: ['codex'],
      env: {},
      passEnv: ['OPENAI_*', 'CODEX_*', 'AZURE_OPENAI_*'],
      login: 'codex login',
    },
  ],
  [
    'gemini',
    {
      driver: 'acp',
      command: ['gemini', '--acp', '--approval-mode=yolo'],
      env: { GEMINI_CLI_NO_RELAUNCH: 'true', GEMINI_CLI_TRUST_WORKSPACE: 'true' },
      passEnv: ['GEMINI_*', 'GOOGLE_*'],
      login: 'gemini',
    },
  ],
  [
    'opencode',
    {
      driver: 'acp',
      command: ['opencode', 'acp'],
      env: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
      passEnv: ['OPENCODE_*', 'ANTHROPIC_*', 'OPENAI_*', 'GEMINI_*', 'GOOGLE_*', 'OPENROUTER_*'],
      login: 'opencode auth login',
    },
  ],
  [
    'copilot',
    {
      driver: 'acp',
      command: ['copilot', '--acp', '--allow-all-tools'],
      env: { COPILOT_AUTO_UPDATE: 'false' },
      passEnv: ['COPILOT_*', 'GH_TOKEN', 'GITHUB_TOKEN'],
      login: 'copilot',
    },
  ],
  [
    'qwen',
    {
      driver: 'acp',
      command: ['qwen', '--acp', '--approval-mode', 'yolo'],
      env: {},
      passEnv: ['QWEN_*', 'OPENAI_*', 'DASHSCOPE_*'],
      login: 'qwen',
    },
  ],
  [
    'pi',
    {
      driver: 'pi',
      command: ['pi'],
      env: {},
      passEnv: ['PI_*', 'ANTHROPIC_*', 'OPENAI_*', 'GEMINI_*', 'GOOGLE_*', 'OPENROUTER_*'],
      login: 'pi /login',
    },
  ],
]);

/** The agent of that name: what its table sets, over what is known of it. Null: neither tells what to run. */
export function completeAgent(name: string, table: AgentTable | undefined): AgentSettings | null {
  const known = KNOWN_AGENTS.get(name);
  // Another driver needs another command line: what is known of the usual one does not fit it.
  const fits = known !== undefined && (table?.driver === undefined || table.driver === known.driver);
  const command = table?.command ?? (fits ? known.command : known?.command.slice(0, 1));
  if (command === undefined) return null;
  const driver = table?.driver ?? known?.driver ?? 'text';
  return {
    driver,
    command,
    args: table?.args ?? [],
    model: table?.model ?? null,
    env: { ...known?.env, ...table?.env },
    passEnv: [...(known?.passEnv ?? []), ...(table?.passEnv ?? [])],
    account: table?.account ?? name,
    maxTurns: table?.maxTurns ?? MAX_TURNS,
    stallMs: table?.stallMs ?? (driver === 'text' ? null : STALL_MS),
    rateLimit: table?.rateLimit ?? null,
    sandbox: table?.sandbox ?? 'workspace',
    price: table?.price ?? null,
  };
}
