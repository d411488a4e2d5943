import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { State } from '../core/model/model.ts';
import { isWorking, loopsOf } from '../core/model/model.ts';
import { BEADS, taskIdOf, trackerOf } from '../core/model/tasks.ts';
import type { Settings } from '../core/model/settings.ts';
import { statusView } from '../core/views/view.ts';
import { replaceFile } from './os/files.ts';
import { reach } from './os/failpoint.ts';
import type { Repository } from './git/run/repository.ts';
import { isAlive, isSame, ownIdentity } from './processes/identity.ts';
import { lookAtShim } from './processes/shim-folder.ts';
import { openBeadsState } from './trackers/beads/beads-state.ts';
import { ensureRalphFolder, ralphFolder, runFolder } from './git/run/state-places.ts';
import type { Clock, Projection } from './contract/world.ts';

/** Half of what is promised: a host that is busy for a second is still in time. */
const WRITE_EVERY_MS = 1000;
const FOR_ALL = { mode: 0o666 };

/** `.ralph/state.json` and `.ralph/heartbeat`: for jq and for people; nothing of ours ever reads them. */
export function openProjection(
  repo: Repository,
  tracker: string,
  { limits, project }: Pick<Settings, 'limits' | 'project'>,
  clock: Clock,
): Projection {
  let state: State | null = null;
  let timer: NodeJS.Timeout | null = null;

  const save = (now: State, beat: string): void => {
    const view = statusView(now, tracker, clock.nowMs(), limits.attempts, project);
    attempt(repo, () =>
      replaceFile(join(ralphFolder(repo), 'state.json'), `${JSON.stringify(view, null, 2)}\n`, FOR_ALL),
    );
    attempt(repo, () => replaceFile(join(ralphFolder(repo), 'heartbeat'), beat, FOR_ALL));
  };
  const beads = tracker === BEADS ? openBeadsState(repo.root) : null;
  const refresh = (): void => {
    if (state !== null && beads !== null) saveBeads(repo, state, beads);
    if (state !== null) save(state, heartbeat(state, clock.nowMs()));
  };
  return {
    write: (now) => {
      state = now;
      if (timer !== null) return;
      // Of its own, for a host may wait for long: for a gate, for room on the disk.
      timer = setInterval(refresh, WRITE_EVERY_MS);
      timer.unref();
      refresh();
    },
    close: (now) => {
      reach('host.left');
      if (timer !== null) clearInterval(timer);
      const own = ownIdentity();
      const others = Object.entries(now.hosts).filter(([, { mark }]) => !isSame(mark, own));
      if (beads !== null) saveBeads(repo, now, beads);
      save(now, heartbeat({ ...now, hosts: Object.fromEntries(others) }, clock.nowMs()));
    },
  };
}

/** What is at work in the shape other orchestrators keep it: the process is that of the agent's shell. */
function saveBeads(repo: Repository, state: State, write: ReturnType<typeof openBeadsState>): void {
  const loops = loopsOf(state).filter((loop) => isWorking(loop) && trackerOf(state, loop.task) === BEADS);
  const atWork = loops.map(({ id, task, phase, worktree }) => {
    const sight = phase.at === 'iterating' ? lookAtShim(runFolder(repo, id, phase.n)) : null;
    const pid = sight?.state === 'running' ? sight.identity.pid : null;
    return { id: String(taskIdOf(state, task)), pid, worktree };
  });
  try {
    write(atWork);
  } catch {
    // Read-only or full: the log is the truth, this is a copy.
  }
}

/** A line for each living host, with the loops it holds. */
function heartbeat(state: State, nowMs: number): string {
  const at = new Date(nowMs).toISOString();
  return Object.values(state.hosts)
    .filter(({ mark }) => isAlive(mark))
    .map(({ id, mark, state: is }) => {
      const loops = loopsOf(state).filter(({ host }) => host === id);
      return `${[at, id, 'pid', mark.pid, is, ...loops.map((loop) => loop.id)].join(' ')}\n`;
    })
    .join('');
}

/** The folder may be deleted under us; then it is made again, and if even that fails nothing is lost. */
function attempt(repo: Repository, act: () => void): void {
  try {
    // Who makes a worktree in it again makes only the folder, and git would show it to the user.
    if (!existsSync(join(ralphFolder(repo), '.gitignore'))) ensureRalphFolder(repo);
    act();
  } catch {
    try {
      ensureRalphFolder(repo);
      act();
    } catch {
      // Read-only or full: the log is the truth, this is a copy.
    }
  }
}
