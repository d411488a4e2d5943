import { spawnSync } from 'node:child_process';
import { dirname, delimiter, join } from 'node:path';

import { describe, expect } from 'vitest';

import { PROJECT, bundle } from '../e2e/harness/bundle.ts';
import type { Scratch } from '../e2e/harness/scratch.ts';
import { scratch } from '../e2e/harness/scratch.ts';
import { binOf, clientNamed } from './harness/clients.ts';
import { itWith } from './harness/it-with.ts';

const NOBODY = 'http://127.0.0.1:9';
const PLUGIN = join(PROJECT, 'plugin');

/** The real client with a home of its own, our program beside it, and a model that cannot be reached. */
function claude({ repo, env }: Scratch, args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const bins = [join(dirname(bundle().main), 'bin'), binOf('claude') ?? '', env['PATH'] ?? ''];
  const own = { ...clientNamed('claude').env(NOBODY), CLAUDE_CODE_MAX_RETRIES: '0' };
  return spawnSync('claude', args, {
    cwd: repo,
    env: { ...env, ...own, PATH: bins.join(delimiter), ...more },
    encoding: 'utf8',
    input: '',
    timeout: 60_000,
  });
}

interface Begun {
  readonly slash_commands: readonly string[];
  readonly agents: readonly string[];
  readonly skills: readonly string[];
  readonly tools: readonly string[];
  readonly mcp_servers: readonly { readonly name: string; readonly status: string }[];
}

/** What the client says it has when a session begins. */
function begin(one: Scratch, more: Readonly<Record<string, string>> = {}): Begun {
  const args = ['-p', 'hello', '--plugin-dir', PLUGIN, '--output-format', 'stream-json', '--verbose'];
  const { stdout, stderr } = claude(one, args, more);
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
      const { status, stdout, stderr } = claude(one, ['plugin', 'validate', '--strict', path]);
      expect(status, `${stdout}${stderr}`).toBe(0);
    }
  });

  itWith('claude')('brings its commands, skill, agents and tools into a session', async () => {
    const one = scratch();
    const begun = begin(one);
    expect(ours(begun.slash_commands, 'paralph:')).toEqual(
      ['land', 'loops', 'parallel-loops', 'run', 'start', 'status', 'why', 'worktree'].sort(),
    );
    expect(ours(begun.agents, 'paralph:')).toEqual(['landing-reviewer', 'loop-worker']);
    expect(ours(begun.skills, 'paralph:')).toContain('parallel-loops');
    expect(begun.mcp_servers).toContainEqual(
      expect.objectContaining({ name: 'plugin:paralph:ralph', status: 'connected' }),
    );
    const tools = ours(begun.tools, 'mcp__plugin_paralph_ralph__');
    expect(tools).toEqual(expect.arrayContaining(['memory_list', 'worktree_start', 'worktree_cleanup']));
    const inside = begin(one, { RALPH_LOOP_ID: 'a-loop', RALPH_ITERATION: '1', RALPH_TOKEN: 'x' });
    expect(ours(inside.tools, 'mcp__plugin_paralph_ralph__')).toEqual(
      tools.filter((name) => !name.startsWith('worktree_')),
    );
  });
});
