import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { State } from '../core/model.ts';
import { statusView } from '../core/view.ts';
import { reach } from './failpoint.ts';
import type { Repository } from './git/repository.ts';
import { ensureRalphFolder, ralphFolder } from './state-places.ts';
import type { Projection } from './world.ts';

const WRITE_EVERY_MS = 1000;
const BEAT_EVERY_MS = 2000;

/** `.ralph/state.json` and `.ralph/heartbeat`: for jq and for people; nothing of ours ever reads them. */
export function openProjection(repo: Repository, tracker: string): Projection {
  let writtenSeq = -1;
  let writtenAt = Number.NEGATIVE_INFINITY;
  let beatAt = Number.NEGATIVE_INFINITY;

  const save = (state: State, nowMs: number): void => {
    writtenSeq = state.seq;
    writtenAt = nowMs;
    attempt(repo, () =>
      replace(join(ralphFolder(repo), 'state.json'), `${JSON.stringify(statusView(state, tracker, nowMs), null, 2)}\n`),
    );
  };
  const beat = (nowMs: number): void => {
    beatAt = nowMs;
    attempt(repo, () => replace(join(ralphFolder(repo), 'heartbeat'), `${new Date(nowMs).toISOString()}\n`));
  };
  return {
    write: (state, nowMs) => {
      if (state.seq !== writtenSeq && nowMs - writtenAt >= WRITE_EVERY_MS) save(state, nowMs);
      if (nowMs - beatAt >= BEAT_EVERY_MS) beat(nowMs);
    },
    close: (state, nowMs) => {
      reach('host.left');
      save(state, nowMs);
      beat(nowMs);
    },
  };
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

/** Whole or as it was: on a full disk an older state is worth more than none. */
function replace(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text);
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}
