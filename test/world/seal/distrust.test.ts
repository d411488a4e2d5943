import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { loopId, taskId } from '../../../src/core/model/ids.ts';
import { noteOpenSeal, openSealsOf } from '../../../src/world/git/run/open-seals.ts';
import { HARDENED, runGit } from '../../../src/world/git/run/run-git.ts';
import { temporaryFolder, waitFor } from '../fixtures/process-kit.ts';
import { gitIn } from '../scratch.ts';
import { play, sealScene } from './scene.ts';
import type { SealScene } from './scene.ts';

/** What git of ours makes of one file in the other loop's worktree, and who ran at it. */
function porcelainIn({ sibling, dir }: SealScene): (name: string) => Promise<{ blob: string; ran: string }> {
  const canary = join(dir, '../canary');
  return async (name) => {
    rmSync(canary, { force: true });
    writeFileSync(join(sibling, name), 'plain\n');
    const ours = async (...args: readonly string[]): Promise<string> =>
      (await runGit([...HARDENED, ...args], { cwd: sibling })).stdout.trim();
    await ours('add', '-A');
    await ours('status', '--porcelain');
    const blob = await ours('show', `:${name}`);
    await ours('rm', '-qf', name);
    return { blob, ran: existsSync(canary) ? readFileSync(canary, 'utf8') : '' };
  };
}

describe('what git is told to run', () => {
  it('counts in a run only if it was set before its first agent started, wherever else it is written', async () => {
    const scene = await sealScene();
    const { git, iterate, dir, common, seal, sibling, repo } = scene;
    const add = porcelainIn(scene);
    const evil = join(dir, '../evil');
    writeFileSync(evil, `#!/bin/sh\necho "$1" >> ${join(dir, '../canary')}\ncat\n`, { mode: 0o755 });
    const names = ['own', 'branch', 'admin', 'home', 'late'];
    mkdirSync(join(common, 'info'), { recursive: true });
    writeFileSync(join(common, 'info/attributes'), names.map((name) => `*.${name} filter=${name}\n`).join(''));
    git('config', 'filter.own.clean', 'sed s/plain/CLEAN/');
    vi.stubEnv('HOME', join(dir, '..'));
    onTestFinished(() => void vi.unstubAllEnvs());
    writeFileSync(join(dir, '../.gitconfig'), '[filter "home"]\n\tclean = sed s/plain/HOME/\n');
    const seen: unknown[] = [];
    const look = async (name: string): Promise<void> => void seen.push(await add(`file.${name}`));
    const plant = `
      git config filter.own.clean '${evil} own'; git config includeIf.onbranch:ralph/two.path ${dir}/../more
      printf '[filter "branch"]\\n\\tclean = ${evil} branch\\n' > ${dir}/../more
      git config extensions.worktreeConfig true; git config filter.home.clean '${evil} home'
      git config --file ${common}/worktrees/wt-2/config.worktree filter.admin.clean '${evil} admin'`;
    const other = { loop: loopId('two-y'), task: taskId('two'), n: 1, slot: 2, cwd: sibling };
    const breach = await iterate(plant, async () => {
      // Another one starts after the planting, and the user sets up something new.
      await seal.take(other, 'ralph/two');
      play(repo, other, ':');
      for (const name of names.slice(0, 4)) await look(name);
      git('config', 'filter.late.clean', 'sed s/plain/LATE/');
      await look('late');
    });
    expect(seen.splice(0)).toEqual([
      { blob: 'CLEAN', ran: '' },
      { blob: 'plain', ran: '' },
      { blob: 'plain', ran: '' },
      { blob: 'HOME', ran: '' },
      { blob: 'plain', ran: '' },
    ]);
    expect(breach?.did.join()).toContain('changed .git/worktrees/wt-2/config.worktree (filter.admin.clean)');
    // Its plantings are gone, and what it had planted before the other one started has not become good by that.
    await look('own');
    appendFileSync(join(common, 'config'), `[filter "own"]\n\tclean = ${evil} own\n\tprocess = ${evil} own\n`);
    await look('own');
    git('config', '--unset-all', 'filter.own.process');
    git('config', '--replace-all', 'filter.own.clean', 'sed s/plain/CLEAN/');
    await seal.check(other, 'ralph/two');
    git('config', 'filter.branch.clean', `${evil} branch`);
    for (const name of names) await look(name);
    expect(seen).toEqual([
      { blob: 'CLEAN', ran: '' },
      // git knows no way back from a process to a command.
      { blob: 'plain', ran: '' },
      { blob: 'CLEAN', ran: '' },
      // Nobody is at work, but the run goes on: what was not set before it began does not count.
      { blob: 'plain', ran: '' },
      { blob: 'plain', ran: '' },
      { blob: 'HOME', ran: '' },
      { blob: 'plain', ran: '' },
    ]);
    // The control: git of the user's own obeys it.
    writeFileSync(join(sibling, 'file.branch'), 'plain\n');
    gitIn(sibling, 'add', 'file.branch');
    expect(readFileSync(join(dir, '../canary'), 'utf8')).toMatch(/^branch\n/);
  });
});

it('an agent that starts a minute after its seal was taken, as when the machine slept, is at work all the same', async () => {
  const commonDir = temporaryFolder();
  const dir = join(commonDir, 'run');
  mkdirSync(dir);
  writeFileSync(join(dir, 'seal.json'), '{}');
  noteOpenSeal(commonDir, { loop: 'one-x', n: 1, dir, atMs: Date.now() - 61_000 });
  const { ctimeMs } = statSync(join(commonDir, 'paralph/seals'));
  await waitFor('the folder to be old enough to be remembered', () => Date.now() - ctimeMs > 100);
  expect(openSealsOf(commonDir)).toEqual([]);
  writeFileSync(join(dir, 'start.json'), '{}');
  expect(openSealsOf(commonDir)).toMatchObject([{ loop: 'one-x' }]);
});
