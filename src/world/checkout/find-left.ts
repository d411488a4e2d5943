import type { Sha } from '../../core/model/ids.ts';
import type { Loop } from '../../core/model/model.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { readChanges, shown } from '../git/objects/raw-changes.ts';
import { HARDENED, runGitBytes } from '../git/run/run-git.ts';
import type { GitView } from '../git/run/view.ts';

const COMMIT_DIGITS = 12;
const ANY = [0, 1, 128];

export interface Left {
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
