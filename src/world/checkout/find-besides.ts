import type { Besides } from '../../core/model/place.ts';
import { BESIDES_MAX } from '../../core/views/besides.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { BesidesOrder } from '../contract/outcomes.ts';
import { readRef } from '../git/refs/refs.ts';
import type { GitView } from '../git/run/view.ts';
import { readInPlaceNote } from './in-place-note.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { readChanges, shown } from '../git/objects/raw-changes.ts';
import { HARDENED, runGitBytes } from '../git/run/run-git.ts';
import type { CheckoutPlace } from './take-checkout.ts';
import type { Loop } from '../../core/model/model.ts';

interface Seen {
  readonly id: string;
  /** Who wrote it and when: a commit that is amended or rebased keeps that. */
  readonly origin: string;
  readonly subject: string;
}

const DIGITS = 10;

/** What would land with a loop that worked on a person's branch, and is not of its making; null: nothing. */
export async function findBesides({ repo, view }: CheckoutPlace, order: BesidesOrder): Promise<Besides | null> {
  const note = readInPlaceNote(repo, order.loop);
  // A branch of its own begins at what has landed.
  if (note === null || note.home !== order.branch || order.branch === order.target) return null;
  const refs = [`refs/paralph/int/${order.target}`, `refs/heads/${order.target}`];
  const found = await Promise.all(refs.map((ref) => readRef(view, ref)));
  const without = [...new Set([...found.flatMap((one) => one ?? []), ...order.landed])];
  const all = await commitsOf(view, order.head, without);
  const before = await commitsOf(view, note.start, without);
  const inherited = order.after.flatMap((loop) => readInPlaceNote(repo, loop)?.own ?? []);
  const own = new Set<string>([...note.own, ...inherited]);
  const origins = new Set(before.filter(({ id }) => !own.has(id)).map(({ origin }) => origin));
  const besides = all.filter(({ id, origin }) => !own.has(id) || origins.has(origin));
  if (besides.length === 0) return null;
  const commits = besides.slice(0, BESIDES_MAX).map(({ id, subject }) => `${id.slice(0, DIGITS)} ${subject}`);
  return { count: besides.length, commits };
}

async function commitsOf(view: GitView, head: Sha, without: readonly Sha[]): Promise<readonly Seen[]> {
  const format = '--format=%H%x01%an <%ae> %at%x01%s';
  const input = `${[head, ...without.map((one) => `^${one}`)].join('\n')}\n`;
  const { stdout } = await view.run(['log', '-z', format, '--ignore-missing', '--stdin'], { input });
  return stdout.split('\0').flatMap((record) => {
    const [id = '', origin = '', subject = ''] = record.split('\x01');
    return id === '' ? [] : [{ id, origin, subject }];
  });
}

const COMMIT_DIGITS = 12;
const ANY = [0, 1, 128];

interface Left {
  readonly paths: readonly string[];
  /** Takes exactly that away, and nothing of what is a person's. */
  readonly command: string;
}

/** What a loop in a person's checkout changed there, as long as all of it is there. Null: it works elsewhere, or it is gone or changed. */
export async function findLeft(view: GitView, { place, base }: Loop, made: Sha): Promise<Left | null> {
  if (place.at !== 'checkout' || base === null) return null;
  const paths = (await readChanges(view, base, made)).map(({ path }) => shown(path));
  if (paths.length === 0) return null;
  const { stdout } = await view.bytes(['diff', '--binary', base, made]);
  const check = [...HARDENED, 'apply', '--reverse', '--check'];
  const isThere = (await runGitBytes(check, { cwd: place.path, input: stdout, ok: ANY })).code === 0;
  if (!isThere) return null;
  const there = `git -C ${shellWord(place.path)}`;
  const between = `${base.slice(0, COMMIT_DIGITS)} ${made.slice(0, COMMIT_DIGITS)}`;
  const unstage = `${there} reset -q -- ${paths.map(shellWord).join(' ')}`;
  return { paths, command: `${there} diff --binary ${between} | ${there} apply --reverse && ${unstage}` };
}
