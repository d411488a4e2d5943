import type { State } from '../../core/model/model.ts';
import type { Repository } from '../../world/git/run/repository.ts';
import { pause } from '../../world/os/clock.ts';
import { readState } from './project.ts';

const LOOK_EVERY_MS = 200;

/** The first state in which something is so. */
export async function awaitState(repo: Repository, isSo: (state: State) => boolean): Promise<State> {
  for (;;) {
    const state = await awaitStateFor(repo, Number.POSITIVE_INFINITY, isSo);
    if (state !== null) return state;
  }
}

/** The same; null: it was not so within the time. */
export async function awaitStateFor(
  repo: Repository,
  timeoutMs: number,
  isSo: (state: State) => boolean,
): Promise<State | null> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const state = await readState(repo);
    if (isSo(state)) return state;
    if (performance.now() >= deadline) return null;
    await pause(LOOK_EVERY_MS);
  }
}
