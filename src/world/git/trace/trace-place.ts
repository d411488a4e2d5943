import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  rmdirSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { findRepository } from '../run/repository.ts';
import { lookAtShim } from '../../processes/shim-folder.ts';

/** Every git command an agent runs is written down here by git itself. */
export const TRACE_FILE = 'git-trace.jsonl';
/** With it set, the seconds that git writes down are not those in which it did something. */
export const DATE = 'GIT_COMMITTER_DATE';
/** From the making of a link to the start of its agent it is nobody's for a moment. */
const UNSTARTED_MS_MAX = 60_000;

interface Traced {
  readonly cwd: string;
  readonly loop: string;
  readonly n: string | number;
  readonly inPlace?: boolean;
}

const folderIn = (worktreeRoot: string): string => join(worktreeRoot, '.trace');

/** A name beside the worktree for the trace in the run folder: an agent is not told where the repository is. */
const linkOf = (traced: Traced): string => join(folderIn(besides(traced)), `${traced.loop}-${traced.n}`);

/** Beside a person's checkout all is theirs, and in it a `git clean` of the agent's would take it: there it is the state folder. */
const besides = ({ cwd, inPlace }: Traced): string => (inPlace === true ? stateDirOf(cwd) : dirname(cwd));

function stateDirOf(cwd: string): string {
  try {
    return findRepository(cwd).stateDir;
  } catch {
    return join(cwd, '.ralph');
  }
}

/** Makes git tell what it does. A trace that cannot be written changes nothing for the agent: git says no word about it. */
export const traceVariables = (iteration: Traced): Record<string, string> => ({
  GIT_TRACE2_EVENT: linkOf(iteration),
  GIT_TRACE2_EVENT_BRIEF: '1',
  GIT_TRACE2_ENV_VARS: DATE,
});

export function openTrace(dir: string, iteration: Traced): void {
  const link = linkOf(iteration);
  try {
    closeSync(openSync(join(dir, TRACE_FILE), 'a', 0o600));
    mkdirSync(dirname(link), { recursive: true });
    rmSync(link, { recursive: true, force: true });
    symlinkSync(join(dir, TRACE_FILE), link);
  } catch {
    // Without a trace nobody is accused by it.
  }
}

export function closeTrace(iteration: Traced): void {
  rmSync(linkOf(iteration), { force: true });
  sweepTraces(besides(iteration));
}

/** Links of agents that nobody waits for any more, and the folder when it is empty. */
export function sweepTraces(worktreeRoot: string): void {
  const folder = folderIn(worktreeRoot);
  try {
    for (const name of readdirSync(folder)) if (isDead(join(folder, name))) rmSync(join(folder, name), { force: true });
    rmdirSync(folder);
  } catch {
    // There is none, or other loops have theirs in it.
  }
}

function isDead(link: string): boolean {
  const { state } = lookAtShim(dirname(readlinkSync(link)));
  if (state === 'absent') return Date.now() - lstatSync(link).mtimeMs > UNSTARTED_MS_MAX;
  return state === 'exited' || state === 'lost';
}
