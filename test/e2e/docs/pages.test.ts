import { spawn } from 'node:child_process';

import { describe, expect, it } from 'vitest';

import { savedScene } from '../harness/saved.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import type { Line } from './pages.ts';
import { PAGES, shellLines } from './pages.ts';
import type { Scene } from './scenes.ts';
import { lay, release, surroundings } from './scenes.ts';

/** What is not typed here, and what types it instead. */
const ELSEWHERE: readonly RegExp[] = [
  // Scripts of the clone: every test run calls them.
  /^npm |^git clone <|^cd my-project/,
  // Programs that a machine may lack: claude and bd have tests of their own, fish and zsh those of completion.
  /^claude |^bd |fish|zsh|\bjq\b/,
];

/** Where a reader is who types it; nothing that is done has landed unless a line says otherwise. */
const SCENES: readonly (readonly [RegExp, Scene])[] = [
  [/^ralph init/, 'bare'],
  [/^ralph (?:loops (?:steer|stop)|workers \d)/, 'working'],
  [/^ralph (?:config|agents|doctor|run|start|orchestrate|worker|prompt|workers|pause|tasks) ?/, 'planned'],
  [/^ralph worktree new|^cd |^eval |^mkdir|^\$EDITOR|^git add/, 'planned'],
  [/^ralph loops resume/, 'stopped'],
  [/^ralph queue (?:bump|eject)/, 'queued'],
  [/^ralph loops retry/, 'parked'],
  [/^ralph (?:revert|report)/, 'landed'],
  [/^ralph (?:keep|undo)|^git (?:show|switch|log --all)/, 'kept'],
  [/^ralph worktree (?!new)/, 'worktree'],
];

/** Ends with another code than 0, and rightly so. */
const ENDS: readonly (readonly [RegExp, number, string])[] = [
  [/^ralph (?:keep drop|loops discard) \S+$/, 2, 'asks first, and there is no terminal to ask in'],
  [/^ralph merger$/, 4, 'the remote of the scene is a folder, not a forge'],
  [/^ralph orchestrate --epic 7$/, 3, 'no task of the scene has a number for an epic: that is an issue on a forge'],
];

/** Names in a guide that a repository of one's own has others for. */
function filledIn(one: Scratch, text: string): string {
  const keep = one.git('for-each-ref', '--format=%(refname)', 'refs/paralph/keep').split('\n')[0] ?? '';
  const ready = one.git('for-each-ref', '--format=%(objectname:short=7)', 'refs/heads/ralph/login*');
  const before = /^\$EDITOR|^git add/.test(text)
    ? 'mkdir -p .ralph/prompts && touch .ralph/prompts/iteration.md && '
    : '';
  return `${before}${text}`
    .replaceAll('refs/paralph/keep/NAME/3f2a1b4c5d6e', keep)
    .replaceAll(/\b3f2a\b/g, keep.split('/').at(-1)?.slice(0, 6) ?? '')
    .replaceAll('4f2c9e1', ready.split('\n')[0] ?? '');
}

interface Ended {
  readonly code: number | null;
  readonly said: string;
}

/** Lasts until a person ends it. */
const FOLLOWS = / (?:-f|--watch|--plain)(?: |$)|^ralph watch$/;

/** Types it into a shell without a terminal. At its first words the agents of the scene may end, and what follows is interrupted. */
function typed(one: Scratch, line: string): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const env = { ...one.env, ...surroundings(one) };
    const child = spawn('bash', ['-c', line], {
      cwd: one.repo,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let said = '';
    const hear = (bytes: Buffer): void => {
      said += bytes.toString();
      release(one);
      if (FOLLOWS.test(line) && child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, said }));
  });
}

const sceneFor = (text: string): Scene => SCENES.find(([pattern]) => pattern.test(text))?.[1] ?? 'ready';

const LINES: readonly Line[] = PAGES.flatMap(shellLines).filter(
  ({ text }) => !ELSEWHERE.some((pattern) => pattern.test(text)),
);

/** Changes nothing, so that one repository serves all of these. */
const READS =
  /^ralph (?:status|why|logs|queue(?: --watch)?$|loops$|loops (?:logs|history|diff|attach)|review(?: --list|$| login$)|config (?:list|check)|agents list|doctor|events|keep (?:list|show)|report$|report --run|tasks (?:list|ready)|pr list|watch|worktree (?:list|status)|prompt|orchestrate status)|--dry-run|^git (?:log|status|show)/;

async function typeAll(one: Scratch, lines: readonly Line[]): Promise<void> {
  for (const { at, text } of lines) {
    const line = filledIn(one, text);
    const { code, said } = await typed(one, line);
    const [, expected = 0] = ENDS.find(([pattern]) => pattern.test(text)) ?? [];
    expect(FOLLOWS.test(text) && code === 130 ? 0 : code, `${at}: ${line}\n${said}`).toBe(expected);
    if (expected === 0) expect(said, `${at}: ${line}`).not.toMatch(/^error\[|^bug/m);
  }
}

for (const scene of [...new Set(LINES.map(({ text }) => sceneFor(text)))].sort())
  describe(`a reader whose repository is ${scene}`, () => {
    const laid = savedScene((one) => lay(one, scene));
    const lines = LINES.filter(({ text }) => sceneFor(text) === scene);
    const acts = lines.filter(({ text }) => !READS.test(text));

    const reads = lines.filter(({ text }) => READS.test(text));

    if (reads.length > 0)
      it('types what only reads', async () => {
        await typeAll(await laid(), reads);
      });

    // Agents that are at work cannot be copied.
    it.each(acts.map((line) => [line.at, line.text, line] as const))('%s: %s', async (_at, _text, line) => {
      const one = scene === 'working' ? scratch() : await laid();
      if (scene === 'working') await lay(one, scene);
      await typeAll(one, [line]);
    });
  });
