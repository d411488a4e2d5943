import { basename, join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { placeFiles } from '../setup/carry-files.ts';
import type { ReadFile } from '../setup/carry-files.ts';
import { FETCHES, fetchInto } from '../setup/fetch-into.ts';
import { stopNoted } from '../processes/gate-orphans.ts';
import type { Repository } from '../git/run/repository.ts';
import { HARDENED, runGitBytes } from '../git/run/run-git.ts';
import type { Provisions } from '../setup/provisions.ts';
import { dropSetup, setUp } from '../setup/set-up.ts';
import { planSetup } from '../setup/setup-plan.ts';
import { gateLog } from '../git/run/state-places.ts';
import type { Worktrees } from '../contract/world.ts';

/** What a loop's worktree gets before its first agent: the same as one that a person works in. */
export async function prepareLoop(
  repo: Repository,
  { settings, files, env, passEnv, tell }: Provisions,
  { path, loop, name, head, isNew, signal }: Parameters<Worktrees['prepare']>[0],
): ReturnType<Worktrees['prepare']> {
  placeFiles(path, await ignoredIn(path, files));
  const missing = settings.submodules ? await fetchInto(repo, path, (text) => tell(`${name} ${text}`)) : null;
  const record = join(repo.stateDir, 'setups', `${basename(path)}.json`);
  if (isNew) dropSetup(record);
  // Of a host that died amid it.
  const note = `${record}.token`;
  await stopNoted(note);
  const plan = await planSetup(repo, settings, head);
  const logFile = gateLog(repo, `${loop}/setup`);
  const place = { path, record, logFile, notes: [note], env, passEnv, variables: {}, signal };
  const done = await setUp({ ...place, tell: (text) => tell(`${name} ${text}`) }, plan);
  if (done?.failed?.isConfigured === true)
    throw new AppError('E_SETUP', `In the new worktree of ${name}, ${done.failed.command} failed.`, {
      facts: done.failed.tail.split('\n').slice(-FACTS_MAX),
      remedy: `cd ${shellWord(path)} && ${done.failed.command}`,
    });
  const failed = done?.failed ?? (missing === null ? null : { command: FETCHES, tail: missing });
  if (done === null && failed === null) return null;
  const { commands = [FETCHES], durationMs = 0 } = done ?? {};
  return { commands, durationMs, failed: failed === null ? null : { command: failed.command, tail: failed.tail } };
}

const FACTS_MAX = 10;

/** What git does not ignore there, an agent would commit. */
async function ignoredIn(path: string, files: readonly ReadFile[]): Promise<readonly ReadFile[]> {
  if (files.length === 0) return [];
  const { stdout } = await runGitBytes([...HARDENED, 'check-ignore', '-z', '--stdin'], {
    cwd: path,
    input: files.map((file) => `${file.path}\0`).join(''),
    ok: [0, 1],
  });
  const ignored = new Set(stdout.toString('utf8').split('\0'));
  return files.filter((file) => ignored.has(file.path));
}
