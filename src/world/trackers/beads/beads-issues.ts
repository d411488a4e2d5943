import { performance } from 'node:perf_hooks';
import { AppError } from '../../../core/model/errors.ts';
import type { Bead } from '../../../text/trackers/beads-answer.ts';
import { readAnswer } from '../../../text/trackers/beads-answer.ts';
import { failure, mustBd, runBd } from './bd-program.ts';
import type { BdPlace, BdResult } from './bd-program.ts';

/** What this `bd` can do, by its own help: versions are numbered too freely to go by. */
export interface BeadsAbilities {
  readonly heartbeat: boolean;
  readonly unclaim: boolean;
  /** Only while a certain one has it. */
  readonly unclaimIf: boolean;
  readonly metadata: boolean;
}

/** All issues as they were at one moment. */
export interface SeenBeads {
  readonly beads: readonly Bead[];
  readonly ready: ReadonlySet<string>;
  readonly atMs: number;
}

/** The issues of one repository, asked of `bd` by one call at a time. */
export interface BeadsIssues {
  /** What one call says, when those before it are done. */
  readonly run: (args: readonly string[], input?: string) => Promise<BdResult>;
  readonly must: (args: readonly string[], input?: string) => Promise<BdResult>;
  /** Several calls with none of another between them; they are given the way to make them. */
  readonly alone: <T>(act: (bd: BeadsCalls) => Promise<T>) => Promise<T>;
  readonly abilities: () => Promise<BeadsAbilities>;
  /** No older than this. */
  readonly seen: (ageMsMax: number) => Promise<SeenBeads>;
  /** The newest that is known, without asking. */
  readonly last: () => SeenBeads | null;
}

export interface BeadsCalls {
  readonly run: BeadsIssues['run'];
  readonly must: BeadsIssues['must'];
  /** These issues as they are now; what is not there is left out. */
  readonly show: (ids: readonly string[]) => Promise<ReadonlyMap<string, Bead>>;
}

/** What is known may be this old where nothing is decided by it. */
export const SEEN_MS = 5000;
/** Beads are asked about by this many at a time: a command line has an end. */
const SHOWN_MAX = 200;
/** Asked once for the program a process would start. */
const ABILITIES = new WeakMap<NodeJS.ProcessEnv, Promise<BeadsAbilities>>();
/** What begins or ends something for others; who has what, and how far, is known to whom it was told by. */
const CHANGING = new Set(['close', 'reopen', 'create', 'unclaim']);

export function openBeadsIssues(place: BdPlace): BeadsIssues {
  let queue: Promise<unknown> = Promise.resolve();
  let last: SeenBeads | null = null;
  let looking: Promise<SeenBeads> | null = null;
  /** Lists of old versions only count what an issue depends on; their export says it. */
  let isCounting = false;
  /** What was written, counted: a list that began before the last of it does not show it. */
  let written = 0;
  let shown = 0;

  const alone = <T>(act: (bd: BeadsCalls) => Promise<T>): Promise<T> => {
    const turn = queue.then(() => act(calls));
    queue = turn.catch(() => {});
    return turn;
  };
  const calls: BeadsCalls = {
    run: (args, input) => {
      if (CHANGING.has(args[0] ?? '')) written += 1;
      return runBd(place, args, input);
    },
    must: (args, input) => {
      if (CHANGING.has(args[0] ?? '')) written += 1;
      return mustBd(place, args, input);
    },
    show: (ids) => show(place, ids),
  };
  const list = async (): Promise<readonly Bead[]> => {
    if (!isCounting) {
      const { beads } = await mustBd(place, ['list', '--all', '--json', '-n', '0']);
      isCounting = beads.some(({ links }) => links === null);
      if (!isCounting) return beads;
    }
    const { ok, error, stdout } = await runBd(place, ['export']);
    if (!ok) throw failure(['export'], error ?? 'it failed');
    return readAnswer(stdout).beads;
  };
  const look = (): Promise<SeenBeads> =>
    alone(async () => {
      const before = written;
      const { beads: ready } = await mustBd(place, ['ready', '--json', '-n', '0']);
      const beads = await list();
      shown = before;
      last = { beads, ready: new Set(ready.map(({ id }) => id)), atMs: performance.now() };
      return last;
    });
  return {
    run: (args, input) => alone((bd) => bd.run(args, input)),
    must: (args, input) => alone((bd) => bd.must(args, input)),
    alone,
    abilities: () => {
      const known = ABILITIES.get(place.env);
      if (known !== undefined) return known;
      const asked = alone(() => probe(place));
      ABILITIES.set(place.env, asked);
      asked.catch(() => ABILITIES.delete(place.env));
      return asked;
    },
    seen: (ageMsMax) => {
      if (written === shown && last !== null && performance.now() - last.atMs <= ageMsMax) return Promise.resolve(last);
      // A look that has begun may have missed what was done a moment ago.
      if (ageMsMax === 0 || written !== shown) return look();
      looking ??= look().finally(() => (looking = null));
      return looking;
    },
    last: () => last,
  };
}

async function show(place: BdPlace, ids: readonly string[]): Promise<ReadonlyMap<string, Bead>> {
  const found = new Map<string, Bead>();
  for (let from = 0; from < ids.length; from += SHOWN_MAX) {
    const wanted = ids.slice(from, from + SHOWN_MAX);
    const { beads, ok, error } = await runBd(place, ['show', ...wanted, '--json']);
    if (!ok && beads.length === 0 && !isMissing(error)) throw failure(['show'], error ?? 'it failed');
    for (const bead of beads) if (wanted.includes(bead.id)) found.set(bead.id, bead);
  }
  return found;
}

const isMissing = (error: string | null): boolean => /no issues? found|not found/i.test(error ?? '');

async function probe(place: BdPlace): Promise<BeadsAbilities> {
  const update = await runBd(place, ['update', '--help']);
  if (!update.ok) throw failure(['update'], update.error ?? 'it failed');
  if (!update.stdout.includes('--claim'))
    throw new AppError('E_BEADS', 'this bd cannot claim: it is older than what loops need', {
      facts: ['wanted: 0.47 or newer'],
      remedy: 'npm install -g @beads/bd',
    });
  const [heartbeat, unclaim] = [await runBd(place, ['heartbeat', '--help']), await runBd(place, ['unclaim', '--help'])];
  return {
    heartbeat: heartbeat.ok,
    unclaim: unclaim.ok,
    unclaimIf: unclaim.stdout.includes('--if-assignee'),
    metadata: update.stdout.includes('--set-metadata'),
  };
}
