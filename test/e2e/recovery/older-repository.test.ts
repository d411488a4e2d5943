import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect, it } from 'vitest';

import { listOf, summaryOf } from '../harness/answers.ts';
import { gitSays, landedTasks, refsBelow } from '../harness/git.ts';
import { ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';

const ARCHIVE = new URL('../../fixtures/older/repository.tar.gz.b64', import.meta.url).pathname;
/** Where it was made. */
const THERE = '/older/repo';
const MADE = ['landed', 'slow', 'ready', 'working', 'half', 'open'];

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);

/** The same text about another folder; a line of the log begins with its checksum. */
function moved(text: string, repo: string): string {
  const there = text.replaceAll(THERE, repo);
  const json = /^[0-9a-f]{8} (\{.*\})\n$/s.exec(there)?.[1];
  return json === undefined ? there : `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`;
}

function unpack({ root, repo }: Scratch): void {
  const archive = Buffer.from(readFileSync(ARCHIVE, 'utf8'), 'base64');
  execFileSync('tar', ['-xzf', '-', '-C', root], { input: archive });
  for (const path of [...filesBelow(join(repo, '.git')), ...filesBelow(join(repo, '.ralph'))]) {
    const bytes = readFileSync(path);
    if (bytes.includes(THERE) && !bytes.includes(0)) writeFileSync(path, moved(bytes.toString(), repo));
  }
  // What is half-made is noted under the digest of its path.
  const notes = join(repo, '.git/paralph/half-made');
  for (const name of readdirSync(notes)) {
    const { path } = JSON.parse(readFileSync(join(notes, name), 'utf8')) as { path: string };
    const digest = createHash('sha256').update(path).digest('hex').slice(0, 24);
    renameSync(join(notes, name), join(notes, `${digest}.json`));
  }
}

it('goes on with a repository that an older version left, and loses nothing', async () => {
  const one = scratch({ hasRepository: false });
  unpack(one);
  const tips = refsBelow(one.git, 'refs/').map((ref) => one.git('rev-parse', `${ref}^{commit}`));
  expect(tips).toHaveLength(8);

  const before = listOf((await ralph(one, ['loops', '--all', '--json'])).stdout, 'loops');
  expect(Object.fromEntries(before.map(({ task, state, reason }) => [task, [state, reason]]))).toEqual({
    landed: ['landed', null],
    slow: ['landed', null],
    ready: ['ready', 'manual'],
    parked: ['parked', 'failures'],
    working: ['stopped', 'host-died'],
    half: ['stopped', 'host-died'],
  });

  // An agent that vanished with its host counts as one failure.
  const words = ['run', '--parallel', '--max-workers', '2', '--set', 'limits.consecutive_failures=2', '--json'];
  const run = await ralph(one, words, { isCheckoutGuarded: false });
  expect(run.code, run.stderr).toBe(1);
  expect(summaryOf(run.stdout)).toMatchObject({
    landed: ['slow'],
    ready: ['half', 'open', 'ready', 'working'],
    parked: [{ task: 'parked', reason: 'failures' }],
    stopped: [],
    waiting: [],
    open: [],
  });
  expect(landedTasks(one.git, 'main').toSorted()).toEqual(['landed', 'slow']);

  const land = await ralph(one, ['land', '--all', '--json'], { isCheckoutGuarded: false });
  expect(land.code, land.stderr).toBe(0);
  expect(landedTasks(one.git, 'main').toSorted()).toEqual(MADE.toSorted());
  for (const task of MADE) expect(one.git('show', `main:${task}.txt`), task).toBe(whatItMade(task));
  for (const task of MADE) expect(one.git('show', 'main:PRD.md')).toContain(`- [x] Make ${task}`);

  const kept = refsBelow(one.git, 'refs/');
  const lost = tips.filter((tip) => !kept.some((ref) => gitSays(one.git, 'merge-base', '--is-ancestor', tip, ref)));
  expect(lost, 'every commit that a ref reached is still reached').toEqual([]);
  expect(one.git('worktree', 'list', '--porcelain')).not.toContain('prunable');
  expect(
    existsSync(join(one.repo, '.git/paralph/half-made')) && readdirSync(join(one.repo, '.git/paralph/half-made')),
  ).toEqual([]);
  const doctor = await ralph(one, ['doctor', '--json'], { isCheckoutGuarded: false });
  expect(doctor.code, doctor.stdout).toBe(0);
});

const whatItMade = (task: string): string => (task === 'working' ? 'half\nthe rest' : `made by ${task}`);
