import { existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../core/errors.ts';
import type { Settings } from '../core/settings.ts';
import type { State } from '../core/model.ts';
import { isWorking, loopsOf } from '../core/model.ts';
import { shellWord } from '../core/remedy.ts';
import { chooseAgents } from './choose-agent.ts';
import { findBrokenEntries } from './git/broken-entries.ts';
import { readIdentity } from './git/identity.ts';
import { preflight } from './git/preflight.ts';
import type { Repository } from './git/repository.ts';
import { isAlive } from './processes/identity.ts';
import type { ProcessIdentity } from './processes/identity.ts';
import { findAllMarked } from './processes/sweep.ts';

export interface Finding {
  readonly check: string;
  readonly level: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly remedy: string | null;
}

const DISK_FLOOR_BYTES = 2 * 1024 ** 3;

export interface DiagnoseOptions {
  readonly repo: Repository;
  readonly settings: Settings;
  readonly state: State;
  readonly env: NodeJS.ProcessEnv;
}

/** Looks at everything a run needs and at what earlier ones may have left. Changes nothing. */
export async function diagnose(options: DiagnoseOptions): Promise<readonly Finding[]> {
  const broken = brokenEntries(options);
  return [
    ...broken,
    await asked('git', async () => {
      const found = await preflight(options.repo, options.settings.landing.target);
      return `git ${found.gitVersion}, target ${found.target} at ${found.targetSha.slice(0, 10)}`;
    }),
    await asked('identity', async () => {
      const { name, email } = await readIdentity(options.repo);
      return `${name} <${email}>`;
    }),
    await asked('agent', async () => {
      const agents = chooseAgents(options.settings, options.env, options.repo.root);
      return agents.map(({ name, settings }) => `${name}: ${settings.command.join(' ')}`).join(', then ');
    }),
    disk(options.repo),
    gates(options.settings),
    ...staleLocks(options.repo),
    ...deadHosts(options),
    ...orphanProcesses(options),
  ];
}

async function asked(check: string, act: () => Promise<string>): Promise<Finding> {
  try {
    return { check, level: 'ok', message: await act(), remedy: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { check, level: 'fail', message: [error.message, ...error.facts].join('; '), remedy: error.remedy };
  }
}

function brokenEntries({ repo }: DiagnoseOptions): readonly Finding[] {
  const found = findBrokenEntries(repo);
  if (found.length === 0)
    return [{ check: 'worktrees', level: 'ok', message: 'no broken worktree entry', remedy: null }];
  return found.map(({ path, why }) => ({
    check: 'worktrees',
    level: 'fail',
    message: `broken worktree entry ${path}: ${why}`,
    remedy: `rm -rf ${shellWord(path)}`,
  }));
}

function disk(repo: Repository): Finding {
  const { bavail, bsize } = statfsSync(repo.commonDir);
  const free = bavail * bsize;
  const message = `${(free / 1024 ** 3).toFixed(1)} GB free`;
  return free < DISK_FLOOR_BYTES
    ? { check: 'disk', level: 'warn', message: `${message}; worktrees may not fit`, remedy: 'ralph parallel clean' }
    : { check: 'disk', level: 'ok', message, remedy: null };
}

function gates(settings: Settings): Finding {
  const { commands } = settings.gates;
  if (commands.length > 0) return { check: 'gates', level: 'ok', message: commands.join(', '), remedy: null };
  return {
    check: 'gates',
    level: 'warn',
    message: 'no gates: whatever merges counts as green',
    remedy: `ralph config set gates.commands '["npm test"]'`,
  };
}

/** Locks of ours whose holder is dead free themselves; the user's own index.lock is only reported. */
function staleLocks(repo: Repository): readonly Finding[] {
  const findings: Finding[] = [];
  const folder = join(repo.stateDir, 'locks');
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    // Written by somebody who was killed before it became a lock.
    if (name.includes('.tmp-')) continue;
    const holder = holderOf(join(folder, name));
    if (holder !== null && !isAlive(holder))
      findings.push({
        check: 'locks',
        level: 'warn',
        message: `lock ${name} is held by dead process ${holder.pid}; the next run takes it over`,
        remedy: null,
      });
  }
  const index = join(repo.commonDir, 'index.lock');
  if (existsSync(index))
    findings.push({
      check: 'locks',
      level: 'warn',
      message: `${index} exists: a git command runs, or one was killed; publishing waits for it`,
      remedy: `rm ${shellWord(index)}  # only if no git command runs`,
    });
  return findings.length > 0 ? findings : [{ check: 'locks', level: 'ok', message: 'no stale lock', remedy: null }];
}

function holderOf(file: string): ProcessIdentity | null {
  try {
    const read = JSON.parse(readFileSync(file, 'utf8')) as Partial<ProcessIdentity>;
    return typeof read.pid === 'number' && typeof read.startTime === 'string' && typeof read.bootId === 'string'
      ? { pid: read.pid, startTime: read.startTime, bootId: read.bootId }
      : null;
  } catch {
    return null;
  }
}

function deadHosts({ state }: DiagnoseOptions): readonly Finding[] {
  const stopped = loopsOf(state).filter((loop) => isWorking(loop) && loop.host === null);
  if (stopped.length === 0) return [{ check: 'loops', level: 'ok', message: 'no interrupted loop', remedy: null }];
  return [
    {
      check: 'loops',
      level: 'warn',
      message: `${stopped.length} interrupted: ${stopped.map((loop) => loop.id).join(', ')}`,
      remedy: 'ralph run --parallel',
    },
  ];
}

/** Agents that outlive their host are adopted by the next run; until then they are named. */
function orphanProcesses({ state }: DiagnoseOptions): readonly Finding[] {
  const findings: Finding[] = [];
  for (const { identity, loop } of findAllMarked()) {
    const known = loop === null ? undefined : state.loops[loop as keyof typeof state.loops];
    if (known === undefined || (known.host !== null && isWorking(known))) continue;
    const remedy = isWorking(known) ? 'ralph run --parallel' : `kill ${identity.pid}`;
    findings.push({
      check: 'processes',
      level: 'warn',
      message: `process ${identity.pid} of loop ${known.id} has no host`,
      remedy,
    });
  }
  return findings.length > 0
    ? findings
    : [{ check: 'processes', level: 'ok', message: 'no orphan process', remedy: null }];
}
