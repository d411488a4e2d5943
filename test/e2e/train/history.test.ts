import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { itNeeds } from '../../needs.ts';
import { gitSays, landedTasks } from '../harness/git.ts';
import { beside, ralph } from '../harness/ralph.ts';
import { savedScene } from '../harness/saved.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { barrier, CLAIM, OWN_FILE, readyTrain, trainProject, watchedGate } from '../harness/train.ts';
import type { WatchedGate } from '../harness/train.ts';
import { accountFor, alwaysGreen, INT } from '../harness/values.ts';

const RUN = ['run', '--parallel', '--max-workers', '3'];
const TASKS = ['t1', 't2', 't3'];
/** Two commits of its own, one with a co-author. */
const TWO_COMMITS = `${OWN_FILE}; git add -A; git commit -qm "First step"; echo more >> $RALPH_TASK_ID.txt; git add -A
  git commit -qm "Second step

Co-authored-by: Botho Bot <botho@example.com>"; ${CLAIM}`;

const trailer = (one: Scratch, key: string, commit: string): string =>
  one.git('log', '-1', `--format=%(trailers:key=${key},valueonly)`, commit).trim();
const landings = (one: Scratch): string[] =>
  one
    .git('log', '--first-parent', '--reverse', '--format=%H', '--grep=^Ralph-Loop:', 'main')
    .split('\n')
    .filter((line) => line !== '');

const gateOf = (one: Scratch): WatchedGate => watchedGate(one, 'test ! -e BROKEN');
const ready = savedScene((one) => readyTrain(one, { tasks: TASKS, gate: gateOf(one), script: TWO_COMMITS }));

async function landed(landing: Readonly<Record<string, string>>): Promise<Scratch> {
  const one = await ready();
  const settings = Object.entries(landing).flatMap(([key, value]) => ['--set', `landing.${key}=${value}`]);
  const { code, stderr } = await ralph(one, ['land', '--all', ...settings]);
  expect(code, stderr).toBe(0);
  alwaysGreen(one, gateOf(one).truth);
  return one;
}

describe('S0.9 what history tells of landings', () => {
  it.each([
    ['merge', 1, 2],
    ['squash', 1, 1],
    ['rebase', 2, 1],
  ])('method %s: %i commits on the line per task, %i parents, named as told', async (method, commits, parents) => {
    const message = 'feat({{task_id}}): {{title}}';
    const one = await landed({ method, message });
    // As the user, who finds a clean checkout.
    const mails = one.git('log', '--first-parent', '--format=%ae', `-${commits * TASKS.length}`, 'main').split('\n');
    expect(new Set(mails)).toEqual(new Set(['una@example.com']));
    expect(one.git('status', '--porcelain')).toBe('');
    expect(landedTasks(one.git, 'main').sort()).toEqual(TASKS);
    const line = one.git('log', '--first-parent', '--format=%H %P', 'main').split('\n');
    expect(line).toHaveLength(2 + commits * TASKS.length);
    for (const each of line.slice(0, commits * TASKS.length)) expect(each.split(' ')).toHaveLength(1 + parents);
    expect(landings(one)).toHaveLength(3);
    for (const commit of landings(one)) {
      const task = trailer(one, 'Ralph-Task', commit);
      expect(TASKS).toContain(task);
      expect(trailer(one, 'Ralph-Tracker', commit)).toBe('PRD.md');
      expect(trailer(one, 'Ralph-Loop', commit)).toMatch(new RegExp(`^${task}-`));
      expect(gitSays(one.git, 'cat-file', '-e', trailer(one, 'Ralph-Head', commit))).toBe(true);
      expect(trailer(one, 'Ralph-Attempt', commit)).toBe('1');
      expect(one.git('show', `${commit}:${task}.txt`)).toBe(`made by ${task}\nmore`);
      if (method === 'rebase') continue;
      expect(one.git('log', '-1', '--format=%s', commit)).toBe(`feat(${task}): Make ${task}`);
      // Those of the branch, each once.
      expect(trailer(one, 'Co-authored-by', commit)).toBe('Botho Bot <botho@example.com>');
    }
    accountFor(one, TASKS, 'main');
  });

  it('a message template that names what is not there is refused before anything starts', async () => {
    const one = scratch();
    const gate = watchedGate(one, 'true');
    trainProject(one, { tasks: ['t1'], gate, script: CLAIM, config: { landing: { message: 'do {{nothing}}' } } });
    const { code, stderr } = await ralph(one, RUN);
    expect(code).toBe(3);
    expect(stderr).toContain('nothing');
    expect(gate.runs()).toBe(0);
  });

  it('method rebase: parallel work that was sent back lands once and whole', async () => {
    const one = scratch();
    const gate = watchedGate(one, "! grep -rq '^<<<<<<<' --exclude-dir=.git .");
    trainProject(one, {
      tasks: TASKS,
      gate,
      files: { 'list.txt': 'the list\n' },
      script: `if [ $RALPH_ITERATION = 1 ]; then ${barrier(one, 3)}; ${OWN_FILE}; echo $RALPH_TASK_ID >> list.txt
        else sed -i -e '/^|||||||/,/^=======/d' -e '/^=======$/d' -e '/^<<<<<<< /d' -e '/^>>>>>>> /d' list.txt; fi; ${CLAIM}`,
      config: { landing: { method: 'rebase' } },
    });
    const { code, stderr } = await ralph(one, RUN);
    expect(code, stderr).toBe(0);
    expect(one.git('show', 'main:list.txt').split('\n').sort()).toEqual(['t1', 't2', 't3', 'the list']);
    expect(landedTasks(one.git, 'main').sort()).toEqual(TASKS);
    expect(one.git('rev-list', '--count', '--merges', 'main')).toBe('0');
    alwaysGreen(one, gate.truth);
  });
});

const hasKeygen = spawnSync('ssh-keygen', ['-Y', 'sign'], { encoding: 'utf8' }).error === undefined;

/** A user who signs with a key of theirs. */
function signs(one: Scratch): void {
  const key = beside(one, 'key');
  spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'una', '-f', key], { env: one.env });
  const [type, value] = spawnSync('cat', [`${key}.pub`], { encoding: 'utf8' }).stdout.split(' ');
  writeFileSync(beside(one, 'signers'), `una@example.com ${type} ${value}\n`);
  one.git('config', 'gpg.format', 'ssh');
  one.git('config', 'user.signingKey', `${key}.pub`);
  one.git('config', 'gpg.ssh.allowedSignersFile', beside(one, 'signers'));
  one.git('config', 'commit.gpgSign', 'true');
}

const signature = (one: Scratch): string => one.git('log', '-1', '--format=%G?', INT);

describe('S0.9 signed landings', () => {
  const it = itNeeds('ssh-keygen', hasKeygen);

  it('follow what the user does with their own commits, unless the settings say always or never', async () => {
    const one = await ready();
    signs(one);
    const land = async (...words: string[]): Promise<string> => {
      const { code, stderr } = await ralph(one, ['land', ...words]);
      expect(code, stderr).toBe(0);
      return signature(one);
    };
    expect(await land('t1')).toBe('G');
    expect(await land('t2', '--set', 'landing.sign=never')).toBe('N');
    one.git('config', '--unset', 'commit.gpgSign');
    expect(await land('t3', '--set', 'landing.sign=always', '--set', 'landing.method=squash')).toBe('G');
    expect(landedTasks(one.git, 'main')).toEqual(TASKS);
    alwaysGreen(one, gateOf(one).truth);
  });

  it('a key that does not sign: nothing lands, nothing is lost, and it is said', async () => {
    const one = await ready();
    one.git('config', 'gpg.format', 'ssh');
    one.git('config', 'user.signingKey', beside(one, 'no-such-key.pub'));
    const { code, stderr } = await ralph(one, ['land', '--all', '--set', 'landing.sign=always']);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/sign/i);
    expect(accountFor(one, TASKS).kept).toEqual(TASKS);
  });
});
