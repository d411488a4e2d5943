import { CLIENTS, clientBin } from '../../../scripts/lib/clients.mjs';

export type ClientName = 'claude' | 'codex' | 'gemini' | 'opencode' | 'pi' | 'copilot' | 'qwen';

/** How a client is brought to speak with the model server and nobody else. */
export interface Client {
  readonly name: ClientName;
  /** Variables of the person who calls ralph. */
  readonly env: (url: string) => Readonly<Record<string, string>>;
  /** Files in that person's home. */
  readonly home: (url: string) => Readonly<Record<string, string>>;
  /** Its `[agents.NAME]` table. */
  readonly table: Readonly<Record<string, unknown>>;
  /** Whether it tells, through the protocol we speak with it, the tokens of all answers, or of the last one only. */
  readonly tells: 'all' | 'last';
}

export const KEY = 'dummy-test-key';
const NO_FILES = (): Readonly<Record<string, string>> => ({});
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
/** Claude refuses to work without asking as root unless it is told that this is a sandbox. A user namespace makes us root, too. */
const AS_ROOT = { IS_SANDBOX: '1' };

const claude: Client = {
  name: 'claude',
  env: (url) => ({
    ...AS_ROOT,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: KEY,
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '1',
  }),
  home: NO_FILES,
  table: { model: 'claude-sonnet-4-5' },
  tells: 'all',
};

const codex: Client = {
  name: 'codex',
  env: () => ({ OPENAI_API_KEY: KEY }),
  home: (url) => ({
    '.codex/config.toml': `model = "scripted"
model_provider = "mock"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
plugins = false
apps = false
remote_plugin = false

[model_providers.mock]
name = "mock"
base_url = "${url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
`,
  }),
  table: { sandbox: 'none' },
  tells: 'all',
};

const gemini: Client = {
  name: 'gemini',
  env: (url) => ({ GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: url }),
  home: () => ({
    '.gemini/settings.json': json({
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
      model: { name: 'gemini-2.5-pro' },
    }),
  }),
  table: {},
  tells: 'all',
};

const opencode: Client = {
  name: 'opencode',
  env: (url) => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      autoupdate: false,
      share: 'disabled',
      model: 'mock/scripted',
      small_model: 'mock/scripted',
      provider: {
        mock: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: `${url}/v1`, apiKey: KEY },
          models: { scripted: { limit: { context: 100_000, output: 8000 }, cost: { input: 3, output: 15 } } },
        },
      },
    }),
  }),
  home: NO_FILES,
  table: {},
  tells: 'last',
};

const pi: Client = {
  name: 'pi',
  env: () => ({ PI_OFFLINE: '1' }),
  home: (url) => ({
    '.pi/agent/models.json': json({
      providers: {
        mock: { baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: KEY, models: [{ id: 'scripted' }] },
      },
    }),
  }),
  table: { args: ['--provider', 'mock', '--model', 'scripted'] },
  tells: 'all',
};

const copilot: Client = {
  name: 'copilot',
  env: (url) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_MODEL: 'scripted',
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_API_KEY: KEY,
  }),
  home: NO_FILES,
  table: {},
  tells: 'all',
};

const qwen: Client = {
  name: 'qwen',
  env: (url) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'scripted' }),
  home: () => ({
    '.qwen/settings.json': json({
      security: { auth: { selectedType: 'openai' } },
      privacy: { usageStatisticsEnabled: false },
      // With it every commit also moves a ref of notes that all worktrees share.
      general: { disableAutoUpdate: true, gitCoAuthor: { commit: false, pr: false } },
    }),
  }),
  table: {},
  tells: 'all',
};

export const ALL: readonly Client[] = [claude, codex, gemini, opencode, pi, copilot, qwen];

export function clientNamed(name: ClientName): Client {
  const found = ALL.find((client) => client.name === name);
  if (found === undefined) throw new Error(`no client ${name}`);
  return found;
}

/** The folder of its program; null: not installed here. */
export function binOf(name: ClientName): string | null {
  const known = CLIENTS.find((client) => client.name === name);
  return known === undefined ? null : clientBin(known);
}

export const isRequired = (name: ClientName): boolean =>
  CLIENTS.some((client) => client.name === name && client.required);
