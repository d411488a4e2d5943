import { existsSync, readFileSync, writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { itNeeds } from '../../needs.ts';
import { listOf } from '../harness/answers.ts';
import { parseEvents } from '../harness/events.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { shellProject } from '../harness/shell-agent.ts';
import { hasTmux, openTerminal } from '../harness/terminal.ts';
import { until } from '../harness/until.ts';

/** Calls ours without any variable that would tell whose it is, and writes down what came of it. */
const BARE = `bare() { code=0; env -i PATH="$PATH" HOME="$HOME" "$@" > "$SAID.one" 2>&1 || code=$?
  echo "$*: $code $(head -1 "$SAID.one")" >> "$SAID"; }`;
const linesOf = (one: Scratch): readonly string[] =>
  existsSync(beside(one, 'said')) ? readFileSync(beside(one, 'said'), 'utf8').trim().split('\n') : [];

const HOLDS = 'mkdir -p .claude; echo "{}" > .claude/settings.json; ralph done';

describe('a person’s word', () => {
  it('mend 11: is no variable: env -i inside a loop lands, sets and frees nothing', async () => {
    const one = scratch();
    const commands = [
      'land first',
      'loops merge first',
      "config set gates.commands '[]'",
      "config set landing.protect '[]'",
      'tasks reset first',
      'loops discard first -y',
      'queue pause',
      'undo',
      'publish',
      'init',
      'run "nested"',
    ];
    shellProject(
      one,
      `SAID='${beside(one, 'said')}'; R=$(command -v ralph); ${BARE}
case $RALPH_TASK_ID in first) ${HOLDS}; exit;; esac
${commands.map((command) => `bare "$R" ${command}`).join('\n')}
cd /; for deep in 1 2; do sh -c "(cd '${one.repo}' && env -i PATH='$PATH' HOME='$HOME' '$R' land first) > '$SAID.deep' 2>&1" || true; done
cd - > /dev/null; bare "$R" land first --dry-run; bare "$R" status
ralph progress 'still allowed'; ralph memory add 'verbs stay'; ralph task add 'Found'
echo made > made.txt; ralph done`,
      { tasks: ['first', 'second'], config: { limits: { attempts: 1 } } },
    );
    const run = await ralph(one, ['run', '--events']);
    expect(run.code, run.stderr).toBe(1);
    const lines = linesOf(one);
    for (const [at] of commands.entries()) expect(lines[at]).toMatch(/: 2 error\[E_NESTED\].*loop second-/);
    expect(readFileSync(beside(one, 'said.deep'), 'utf8')).toContain('E_NESTED');
    expect(lines.slice(commands.length).map((line) => / (\d) /.exec(line.slice(line.indexOf(': ') + 1))?.[1])).toEqual([
      '0',
      '0',
    ]);
    const said = parseEvents(run.stdout).map(({ type }) => type);
    expect(said).toEqual(expect.arrayContaining(['loop-progressed', 'task-proposed']));
    expect(one.git('ls-tree', '-r', '--name-only', 'main')).not.toContain('.claude');
    expect(one.git('status', '--porcelain')).toBe('');
    // A person lands it, from the same checkout.
    expect((await ralph(one, ['land', 'first'])).code).toBe(0);
    expect(one.git('show', 'main:.claude/settings.json')).toBe('{}');
  });

  itNeeds('tmux', hasTmux)(
    'mend 11: an agent that lets go of its parents still stands in its worktree; a person there has a terminal',
    async () => {
      const one = scratch();
      const said = beside(one, 'said');
      shellProject(
        one,
        `R=$(command -v ralph)
(setsid sh -c "env -i PATH='$PATH' HOME='$HOME' '$R' queue pause > '${said}.one' 2>&1; mv '${said}.one' '${said}'" < /dev/null > /dev/null 2>&1 &)
while ! test -e '${said}'; do sleep 0.1; done
while ! test -e '${beside(one, 'go')}'; do sleep 0.1; done
echo made > made.txt; ralph done`,
        { tasks: ['only'] },
      );
      const running = startRalph(one, ['run']);
      await until('the agent has tried', () => existsSync(said) || null);
      expect(readFileSync(said, 'utf8')).toMatch(/error\[E_NESTED\].*queue pause is for people/);
      const { stdout } = await ralph(one, ['loops', '--json']);
      const [row] = listOf(stdout, 'loops') as { worktree: string }[];
      const person = openTerminal(one, ['queue', 'pause'], { cwd: row?.worktree ?? '' });
      await person.ended();
      expect(person.screen()).toContain('paused');
      expect((await ralph(one, ['queue', 'resume'])).code).toBe(0);
      writeFileSync(beside(one, 'go'), '');
      expect((await running.ended).code).toBe(0);
    },
  );
});
