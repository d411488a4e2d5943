import { performance } from 'node:perf_hooks';
import type { Work } from '../../../text/forge/work-comment.ts';
import { isAtWork } from '../../../text/forge/work-comment.ts';
import type { Hold, NotHeld } from '../../contract/tracker.ts';

type Phase = Exclude<Work['phase'], 'free'>;

interface Told {
  readonly actor: string;
  readonly phase: Phase;
  readonly atMs: number;
}

/** What this process has told GitHub of its loops. */
export interface ToldIssues {
  readonly of: (hold: Hold) => Told | null;
  readonly remember: (hold: Hold, phase: Phase) => void;
  readonly forget: (hold: Hold) => void;
  readonly lost: (hold: Hold, notHeld: NotHeld) => NotHeld;
  /** Whether an issue is held just as it was told. */
  readonly isAsTold: (task: string, work: Work | undefined) => boolean;
}

export function createToldIssues(): ToldIssues {
  const told = new Map<string, Told>();
  const forget = ({ task }: Hold): void => void told.delete(task);
  return {
    of: ({ task, actor }) => {
      const known = told.get(task);
      return known?.actor === actor ? known : null;
    },
    remember: ({ task, actor }, phase) => void told.set(task, { actor, phase, atMs: performance.now() }),
    forget,
    lost: (hold, notHeld) => {
      forget(hold);
      return notHeld;
    },
    isAsTold: (task, work) => {
      const known = told.get(task);
      return known !== undefined && work !== undefined && isAtWork(work) && work.actor === known.actor;
    },
  };
}
