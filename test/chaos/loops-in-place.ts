import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { gitSays } from '../e2e/harness/git.ts';
import type { Host } from './hosts.ts';
import type { Programs, Scene } from './scene.ts';
import { INT } from './scene.ts';
import { loopsNow } from './tell-ralph.ts';
import type { LoopLine } from './tell-ralph.ts';
import type { User, UserAct } from './user.ts';
import { filesComplaints } from './users-files.ts';

/** How agents in the user's checkout are: those that mind their own files, and those that take or throw away all there is. */
export const PLACE_KINDS = ['plain', 'own', 'reddens', 'edits', 'sweeps', 'throws', 'detaches'] as const;
export type PlaceKind = (typeof PLACE_KINDS)[number];
/** These have the user's files changed until their iteration is over. */
const GREEDY: readonly PlaceKind[] = ['edits', 'sweeps', 'throws', 'detaches'];
/** What a person can do in a checkout where a loop works: what they change there cannot be told from its own. */
const BESIDE: readonly UserAct[] = ['commitOwn', 'stashOwn', 'branch', 'configure'];

/** Single loops in the user's checkout, one at a time. */
export interface LoopsInPlace {
  /** Begins one, goes on with the one there is, or does nothing while it is at work; resolves with what is violated. */
  readonly act: (kind: PlaceKind, failpoints: string | null) => Promise<readonly string[]>;
  /** Goes on until the one there is has come to its end. */
  readonly finish: () => Promise<readonly string[]>;
  /** Whether the user's files may be in an agent's hands. */
  readonly isAmid: () => boolean;
  /** What the user may do meanwhile; null: anything. */
  readonly allows: () => readonly UserAct[] | null;
}

export interface PlaceOrder {
  readonly scene: Scene;
  readonly programs: Programs;
  readonly user: User;
  readonly begin: (words: readonly string[], failpoints: string | null) => Host;
  readonly count: (what: string) => void;
}

interface Open {
  readonly kind: PlaceKind;
  readonly name: string;
  host: Host;
}

const TRIES_MAX = 8;
/** What ends a loop in place for good. A person took it away, or it could not be parted from what they did meanwhile. */
const ENDS = new Set(['iterations', 'runtime', 'no-progress', 'failures', 'conflict', 'red', 'tampered']);

export function makeLoopsInPlace(order: PlaceOrder): LoopsInPlace {
  const { scene, programs, begin, count } = order;
  let open: Open | null = null;
  let nth = 0;
  const start = (kind: PlaceKind, failpoints: string | null): void => {
    nth += 1;
    const name = `in-place-${kind}-${nth}`;
    count(`place ${kind}`);
    open = { kind, name, host: begin(['run', name.replaceAll('-', ' ')], failpoints) };
  };
  /** Looks where it stands, and goes on if it is not over. */
  const goOn = async (failpoints: string | null): Promise<readonly string[]> => {
    if (open === null || open.host.isUp()) return [];
    const one: Open = open;
    const rows = await loopsNow(scene, programs);
    if (rows === null) return [];
    const row = rows.find(({ id }) => id.startsWith(`${one.name}-`));
    if (row === undefined || isOver(row)) {
      open = null;
      if (row !== undefined) count(`in place ${row.reason ?? row.state}`);
      return told(() => afterwards(order, one, row));
    }
    count('place again');
    one.host = begin(['run', '--continue', '--loop-id', row.id], failpoints);
    return [];
  };
  return {
    isAmid: () => open !== null && GREEDY.includes(open.kind),
    allows: () =>
      open === null ? null : GREEDY.includes(open.kind) && open.kind !== 'edits' ? BESIDE : [...BESIDE, 'commit'],
    act: async (kind, failpoints) => {
      if (open !== null) return goOn(failpoints);
      start(kind, failpoints);
      return [];
    },
    finish: async () => {
      for (let left = TRIES_MAX; open !== null && left > 0; left -= 1) {
        await (open as Open).host.ended;
        const wrong = await goOn(null);
        if (wrong.length > 0) return wrong;
      }
      return open === null ? [] : [`${(open as Open).name} does not end, see ${(open as Open).host.log}`];
    },
  };
}

/** What was planted is no end: the person goes on. */
function isOver({ state, reason, why }: LoopLine): boolean {
  if (state === 'landed' || state === 'discarded') return true;
  return state === 'parked' && !(reason === 'broken' && /failpoint|ENOSPC|no space/i.test(why));
}

function told(look: () => readonly string[]): readonly string[] {
  try {
    return look();
  } catch (error) {
    return [`broken: ${String(error)}`];
  }
}

/** What the user had changed, staged or new is as it was, and in nothing the loop made. */
function afterwards({ scene, user }: PlaceOrder, { kind, name }: Open, row: LoopLine | undefined): readonly string[] {
  const wrong: string[] = [];
  const reason = row?.state === 'parked' ? String(row.reason) : null;
  if (reason !== null && !ENDS.has(reason)) wrong.push(`${name} is parked: ${reason}: ${row?.why}`);
  if (kind === 'edits') wrong.push(...edited(scene, user));
  const head = readFileSync(join(scene.repo, '.git/HEAD'), 'utf8').trim();
  if (head !== 'ref: refs/heads/main') wrong.push(`the user's checkout stands at ${head} after ${name}`);
  return [...wrong, ...filesComplaints(scene, user), ...sweptUp(scene, user)].map((one) => `${one} (after ${name})`);
}

/** An agent that worked on what the user had begun: that stays so, and how it was is kept. */
function edited(scene: Scene, user: User): readonly string[] {
  const was = user.files.get('notes.txt');
  const path = join(scene.repo, 'notes.txt');
  const is = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (was === undefined || is === was || !/^by in-place-edits-\d+-\S+\n$/.test(is.slice(was.length))) return [];
  user.noteChanged('notes.txt', is);
  if (!is.startsWith(was)) return ["the user's uncommitted notes.txt was changed"];
  const kept = scene.git('rev-list', '--objects', '--glob=refs/paralph/keep').split('\n');
  const blob = scene.hash(was);
  return kept.some((line) => line.startsWith(blob))
    ? []
    : ["lost: notes.txt as the user had it before an agent's edit"];
}

/** Whatever the user has not committed is in no commit of a loop's. */
export function sweptUp(scene: Scene, { files, staged }: User): readonly string[] {
  const { git } = scene;
  const refs = ['refs/heads/main', INT].filter((ref) => gitSays(git, 'rev-parse', '--verify', '--quiet', ref));
  const objects = git('rev-list', '--objects', ...refs, '--glob=refs/heads/ralph').split('\n');
  const paths = new Map(objects.map((line) => [line.slice(0, 40), line.slice(41)]));
  return [...files, ...staged]
    .filter(([path, text]) => paths.get(scene.hash(text)) === path)
    .map(([path]) => `swept: the user's uncommitted ${path} is in a commit of a loop's`);
}
