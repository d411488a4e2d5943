import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';

import { describe, expect, onTestFinished } from 'vitest';

import { PROJECT, bundle } from '../e2e/harness/bundle.ts';
import type { Scratch } from '../e2e/harness/scratch.ts';
import { scratch } from '../e2e/harness/scratch.ts';
import { binOf, clientNamed } from './harness/clients.ts';
import { itWith } from './harness/it-with.ts';
import { modelServer } from './model-server/server.ts';

const NOBODY = 'http://127.0.0.1:9';
const PLUGIN = join(PROJECT, 'plugin');

const TOOLS = 'mcp__plugin_paralph_ralph__';

/** The real client with a home of its own, our program beside it, and a model that cannot be reached unless it is given. */
async function claude({ repo, env }: Scratch, args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const bins = [join(dirname(bundle().main), 'bin'), binOf('claude') ?? '', env['PATH'] ?? ''];
  const own = { ...clientNamed('claude').env(NOBODY), CLAUDE_CODE_MAX_RETRIES: '0' };
  const child = spawn('claude', args, {
    cwd: repo,
    env: { ...env, ...own, PATH: bins.join(delimiter), ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 150_000,
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, stdout, stderr };
}

interface Begun {
  readonly slash_commands: readonly string[];
  readonly agents: readonly string[];
  readonly skills: readonly string[];
  readonly tools: readonly string[];
  readonly mcp_servers: readonly { readonly name: string; readonly status: string }[];
}

/** What the client says it has when a session begins. */
async function begin(one: Scratch, more: Readonly<Record<string, string>> = {}): Promise<Begun> {
  const args = ['-p', 'hello', '--plugin-dir', PLUGIN, '--output-format', 'stream-json', '--verbose'];
  const { stdout, stderr } = await claude(one, args, more);
  const first = stdout.split('\n').find((line) => line.includes('"subtype":"init"'));
  if (first === undefined) throw new Error(`no session: ${stdout}${stderr}`);
  return JSON.parse(first) as Begun;
}

const ours = (names: readonly string[], prefix: string): readonly string[] =>
  names
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
    .sort();

describe('the plugin for Claude Code', () => {
  itWith('claude')('is valid, and so is the marketplace that offers it', async () => {
    const one = scratch();
    for (const path of [PLUGIN, PROJECT]) {
      const { code, stdout, stderr } = await claude(one, ['plugin', 'validate', '--strict', path]);
      expect(code, `${stdout}${stderr}`).toBe(0);
    }
  });

  itWith('claude')('brings its commands, skill, agents and tools into a session', async () => {
    const one = scratch();
    const begun = await begin(one);
    expect(ours(begun.slash_commands, 'paralph:')).toEqual(
      ['land', 'loops', 'parallel-loops', 'run', 'start', 'status', 'why', 'worktree'].sort(),
    );
    expect(ours(begun.agents, 'paralph:')).toEqual(['landing-reviewer', 'loop-worker']);
    expect(ours(begun.skills, 'paralph:')).toContain('parallel-loops');
    expect(begun.mcp_servers).toContainEqual(
      expect.objectContaining({ name: 'plugin:paralph:ralph', status: 'connected' }),
    );
    const tools = ours(begun.tools, TOOLS);
    const forPeople = [
      'land',
      'report',
      'run',
      'status',
      'why',
      ...tools.filter((name) => name.startsWith('worktree_')),
    ];
    expect(tools).toEqual(expect.arrayContaining(['memory_list', 'worktree_start', 'worktree_cleanup', ...forPeople]));
    const inside = await begin(one, { RALPH_LOOP_ID: 'a-loop', RALPH_ITERATION: '1', RALPH_TOKEN: 'x' });
    expect(ours(inside.tools, TOOLS)).toEqual(tools.filter((name) => !forPeople.includes(name)));
  });

  itWith('claude')('lets an agent make a worktree and look at it', async () => {
    const one = scratch();
    const path = join(one.root, 'made by an agent');
    const model = await modelServer(
      {
        turns: [
          { verb: { name: 'worktree_start', args: { feature_name: 'by-agent', worktree_path: path } } },
          { verb: { name: 'worktree_status', args: { name: 'by-agent' } } },
          { text: 'There it is.' },
        ],
      },
      { host: '127.0.0.1', port: 0 },
    );
    onTestFinished(() => model.close());
    const allowed = ['worktree_start', 'worktree_status'].map((name) => `${TOOLS}${name}`).join(',');
    const args = [
      '-p',
      'Make a worktree.',
      '--plugin-dir',
      PLUGIN,
      '--allowedTools',
      allowed,
      '--model',
      'claude-sonnet-4-5',
    ];
    const { code, stdout, stderr } = await claude(one, args, {
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${model.port}`,
      // All tools at once: the model of this test does not look for any.
      ENABLE_TOOL_SEARCH: 'false',
    });
    expect([code, stdout.trim()], stderr).toEqual([0, 'There it is.']);
    expect(existsSync(join(path, 'README.md'))).toBe(true);
    expect(one.git('branch', '--list', 'feature/by-agent')).toContain('feature/by-agent');
    expect(model.asked().at(-1)?.raw).toContain('untracked');
  });
});
