import { parse } from '@decimalturn/toml-patch';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DRIVERS } from '../../../core/model/settings.ts';
import type { AgentSettings, Driver } from '../../../core/model/settings.ts';
import { completeAgent } from '../known.ts';
import { launch } from './launch.ts';
import type { LaunchFacts } from './launch.ts';

const FACTS: LaunchFacts = {
  cwd: '/w t/x',
  budgetUsd: null,
  mcp: null,
  git: { adminDir: '/r "a"/.git/worktrees/x', commonDir: '/r "a"/.git' },
};
const MCP = { command: ['/n ode', "it's.js", 'mcp'], env: { RALPH_TOKEN: 'a"b\\c', 'odd name': '1' } };
const MODEL = `m'o"d\\el`;

const agentOf = (driver: Driver, more: Partial<AgentSettings> = {}): AgentSettings => {
  const settled = completeAgent('mine', { driver, command: ['prog', 'first'], maxTurns: 7, ...more });
  if (settled === null) throw new Error('no agent');
  return settled;
};

const CLAUDE = ['--output-format', 'stream-json', '--verbose', '--dangerously-skip-permissions'];
const NO_TOOLS = ['--disallowedTools', 'EnterWorktree,ExitWorktree,CronCreate,CronDelete,CronList,ScheduleWakeup'];
const CODEX_ROOTS = [
  '--add-dir',
  '/r "a"/.git/worktrees/x',
  '--add-dir',
  '/r "a"/.git/objects',
  '--add-dir',
  '/r "a"/.git/refs',
  '--add-dir',
  '/r "a"/.git/logs',
];
const CODEX_NETWORK = ['-c', 'sandbox_workspace_write.network_access=true'];
const CODEX_QUIET = ['-c', 'check_for_update_on_startup=false'];
const CODEX_MCP = [
  '-c',
  String.raw`mcp_servers.ralph={command="/n ode",args=["it's.js","mcp"],env_vars=["RALPH_TOKEN","odd name"],default_tools_approval_mode="approve"}`,
];

const mcpJson = (extra: object): string =>
  JSON.stringify({
    mcpServers: { ralph: { command: '/n ode', args: ["it's.js", 'mcp'], env: MCP.env, ...extra } },
  });

const FULL: Partial<LaunchFacts> = { mcp: MCP, budgetUsd: 0.1 + 0.2 };
const WITH_MODEL = { model: MODEL, args: ['--own', 'x y'] };

/** driver, settings, facts, what stands between the command and the end */
const ROWS: readonly (readonly [Driver, Partial<AgentSettings>, Partial<LaunchFacts>, readonly string[]])[] = [
  ['text', WITH_MODEL, FULL, ['--own', 'x y']],
  ['jsonl', WITH_MODEL, FULL, ['--own', 'x y']],
  ['claude', {}, {}, ['-p', ...CLAUDE, ...NO_TOOLS, '--max-turns', '7']],
  [
    'claude',
    WITH_MODEL,
    FULL,
    [
      '-p',
      ...CLAUDE,
      '--model',
      MODEL,
      '--mcp-config',
      mcpJson({ alwaysLoad: true, env: { RALPH_TOKEN: '${RALPH_TOKEN}', 'odd name': '${odd name}' } }),
      ...NO_TOOLS,
      '--max-budget-usd',
      '0.3000',
      '--max-turns',
      '7',
      '--own',
      'x y',
    ],
  ],
  [
    'claude-stdio',
    {},
    { budgetUsd: 0 },
    [
      '-p',
      '--input-format',
      'stream-json',
      '--permission-prompt-tool',
      'stdio',
      ...CLAUDE,
      ...NO_TOOLS,
      '--max-budget-usd',
      '0.0001',
      '--max-turns',
      '7',
    ],
  ],
  [
    'codex',
    {},
    {},
    [
      'exec',
      '--json',
      '-s',
      'workspace-write',
      ...CODEX_ROOTS,
      ...CODEX_NETWORK,
      '-c',
      'approval_policy="never"',
      ...CODEX_QUIET,
      '-',
    ],
  ],
  [
    'codex',
    { ...WITH_MODEL, sandbox: 'none' },
    FULL,
    [
      'exec',
      '--json',
      '-m',
      MODEL,
      '--dangerously-bypass-approvals-and-sandbox',
      ...CODEX_QUIET,
      ...CODEX_MCP,
      '-',
      '--own',
      'x y',
    ],
  ],
  ['codex-app-server', { model: MODEL, sandbox: 'none' }, {}, ['app-server', ...CODEX_QUIET]],
  [
    'codex-app-server',
    {},
    FULL,
    [
      'app-server',
      '-c',
      String.raw`sandbox_workspace_write.writable_roots=["/r \"a\"/.git/worktrees/x","/r \"a\"/.git/objects","/r \"a\"/.git/refs","/r \"a\"/.git/logs"]`,
      ...CODEX_NETWORK,
      ...CODEX_QUIET,
      ...CODEX_MCP,
    ],
  ],
  ['acp', WITH_MODEL, FULL, ['--own', 'x y']],
  ['pi', WITH_MODEL, FULL, ['-p', '--mode', 'json', '--model', MODEL, '--own', 'x y']],
];

describe('launch', () => {
  it.each(ROWS)('%s', (driver, settings, facts, expected) => {
    const { argv } = launch(agentOf(driver, settings), { ...FACTS, ...facts });
    expect(argv).toEqual(['prog', 'first', ...expected]);
  });

  it('says how the output is to be read, and who holds a conversation', () => {
    const told = DRIVERS.map((driver) => {
      const { protocol, talk } = launch(agentOf(driver), FACTS);
      return protocol === driver && talk === null ? driver : `${driver}: ${protocol}, ${talk?.kind}`;
    });
    expect(told).toEqual([
      'text',
      'jsonl',
      'claude',
      'claude-stdio: claude, claude-stdio',
      'codex',
      'codex-app-server: codex-app-server, codex-app-server',
      'acp: acp, acp',
      'pi',
    ]);
  });

  it('passes the agent its variables', () => {
    const without = DRIVERS.filter((driver) => launch(agentOf(driver, { env: { A: 'b' } }), FACTS).env['A'] !== 'b');
    expect(without).toEqual([]);
  });
});

describe('the model of an ACP agent', () => {
  const acp = (command: readonly string[], more: Partial<AgentSettings> = {}) =>
    launch(agentOf('acp', { command, model: MODEL, ...more }), FACTS);

  it.each([
    [['gemini', '--acp'], '-m'],
    [['/opt/my bin/gemini', '--acp'], '-m'],
    [['node', '/x/qwen.js', '--acp'], '-m'],
    [['copilot', '--acp'], '--model'],
  ])('goes by flag to %j', (command, flag) => {
    const { argv, talk } = acp(command, { args: ['--own'] });
    expect(argv).toEqual([...command, flag, MODEL, '--own']);
    expect(talk).toMatchObject({ argv, model: null });
  });

  it('goes by configuration to opencode, beside what is configured', () => {
    const env = { OPENCODE_CONFIG_CONTENT: '{"model":"old",/* mine */"share":"disabled"}' };
    const { argv, env: got, talk } = acp(['opencode', 'acp'], { env });
    expect(argv).toEqual(['opencode', 'acp']);
    expect(JSON.parse(got['OPENCODE_CONFIG_CONTENT'] ?? '')).toEqual({ model: MODEL, share: 'disabled' });
    expect(talk).toMatchObject({ model: null });
  });

  it('comes with our server by flag to copilot, which takes none by protocol', () => {
    const { argv, talk } = launch(agentOf('acp', { command: ['copilot', '--acp'] }), { ...FACTS, mcp: MCP });
    const flag = ['--additional-mcp-config', mcpJson({ type: 'local', tools: ['*'] })];
    expect(argv).toEqual(['copilot', '--acp', ...flag]);
    expect(talk).toMatchObject({ argv, mcp: null });
  });

  it('goes by protocol to any other', () => {
    const { argv, talk } = acp(['droid', 'acp']);
    expect(argv).toEqual(['droid', 'acp']);
    expect(talk).toMatchObject({ model: MODEL });
  });
});

describe('what codex is told', () => {
  it('reads back as it was meant, whatever the server is called with', () => {
    const anyText = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'));
    const names = fc
      .string({ minLength: 1 })
      .filter((name) => !['__proto__', 'constructor', 'toString'].includes(name));
    fc.assert(
      fc.property(anyText, fc.array(anyText), fc.dictionary(names, anyText), (program, rest, env) => {
        const mcp = { command: [program, ...rest], env };
        const setting = launch(agentOf('codex'), { ...FACTS, mcp }).argv.find((word) => word.startsWith('mcp_servers'));
        expect(parse(setting ?? '')).toEqual({
          mcp_servers: {
            ralph: { command: program, args: rest, env_vars: Object.keys(env), default_tools_approval_mode: 'approve' },
          },
        });
      }),
    );
  });
});
