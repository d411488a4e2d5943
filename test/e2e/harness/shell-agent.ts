import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ProjectSpec } from './project.ts';
import { project } from './project.ts';
import { beside, ralph } from './ralph.ts';
import type { Scratch } from './scratch.ts';

type Table = Readonly<Record<string, unknown>>;

/** A project whose agent is a shell script: it runs in the worktree with our verbs on its PATH. */
export function shellProject(one: Scratch, script: string, spec: ProjectSpec, agent: Table = {}): void {
  writeFileSync(beside(one, 'agent.sh'), `set -e\ncat > /dev/null\n${script}\n`);
  const command = ['sh', beside(one, 'agent.sh')];
  project(one, { ...spec, config: { agent: 'shell', ...spec.config, 'agents.shell': { command, ...agent } } });
}

/** A program of that name in a folder to lead the PATH with. */
export function fakeProgram(one: Scratch, name: string, script: string): string {
  const folder = beside(one, 'bin');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
  return folder;
}

/** Lines as `claude` prints them for one turn, ready to be printed by a shell. */
export function claudeLines(said: string, costUsd: number): string {
  const lines = [
    {
      type: 'system',
      subtype: 'init',
      session_id: 's1',
      model: 'claude-sonnet-4-5',
      apiKeySource: 'ANTHROPIC_API_KEY',
    },
    {
      type: 'assistant',
      message: {
        id: 'm1',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [
          { type: 'text', text: 'I will write the file.' },
          { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'touch hello.txt' } },
        ],
        usage: {
          input_tokens: 1000,
          cache_read_input_tokens: 200,
          cache_creation_input_tokens: 300,
          output_tokens: 50,
        },
      },
    },
    { type: 'assistant', message: { id: 'm2', role: 'assistant', content: [{ type: 'text', text: said }] } },
    {
      type: 'result',
      subtype: 'success',
      is_error: false,
      num_turns: 2,
      result: said,
      total_cost_usd: costUsd,
      usage: { input_tokens: 1000, cache_read_input_tokens: 200, cache_creation_input_tokens: 300, output_tokens: 50 },
    },
  ];
  return `cat <<'LINES'\n${lines.map((line) => JSON.stringify(line)).join('\n')}\nLINES`;
}

/** The loop that works on a task now, or did last. */
export async function loopOf(one: Scratch, task: string): Promise<string> {
  const { stdout } = await ralph(one, ['tasks', 'show', task, '--json']);
  const { loop } = JSON.parse(stdout) as { loop: string };
  return loop;
}
