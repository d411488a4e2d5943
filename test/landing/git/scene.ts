import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoopId, Sha } from '../../../src/core/model/ids.ts';
import { loopId, sha } from '../../../src/core/model/ids.ts';
import type { Random } from '../../sim/model/random.ts';
import type { ScratchRepo } from '../../world/scratch.ts';
import { plainEnvironment, scratchRepo } from '../../world/scratch.ts';
import { TRACKER } from './land-host.ts';

/** Both words in a tree make it red, unless the third is there as well. */
export interface Pair {
  readonly first: string;
  readonly second: string;
  readonly mend: string;
}

export interface GitItem {
  readonly index: number;
  readonly loop: LoopId;
  readonly branch: string;
  readonly base: Sha;
  readonly head: Sha;
  readonly onto: readonly LoopId[];
}

export interface Scene {
  readonly repo: ScratchRepo;
  readonly pairs: readonly Pair[];
  readonly items: readonly GitItem[];
  /** How often, of ten runs, the gates call any tree red. */
  readonly flake: number;
}

const PAIRS = 4;
const LINES = 30;
const FILES = 2;
const pairOf = (index: number): Pair => ({ first: `p${index}a`, second: `p${index}b`, mend: `p${index}x` });

/** All words of a tree in one line, then one `case` per pair: a gate of a few milliseconds. */
const gateScript = (flake: number): string =>
  [
    'all=" $(cat new/* | tr "\\n" " ") "',
    `if [ ${flake} -gt 0 ] && [ $(( $(od -An -N1 -tu1 /dev/urandom) % 10 )) -lt ${flake} ]; then exit 2; fi`,
    `for p in ${Array.from({ length: PAIRS }, (_, index) => index).join(' ')}; do`,
    '  case "$all" in *" p${p}x "*) continue;; esac',
    '  case "$all" in *" p${p}a "*) case "$all" in *" p${p}b "*) echo "pair $p"; exit 1;; esac;; esac',
    'done',
    '',
  ].join('\n');

interface Draft {
  readonly words: readonly string[];
  readonly below: number | null;
  readonly isDeclared: boolean;
  readonly isOld: boolean;
  readonly edit: { readonly file: number; readonly line: number } | null;
}

/** A repository with a main of two commits and branches that are ready, made by one process. */
export function createScene(random: Random): Scene {
  const size = random.pick([2, 3, 3, 4, 5, 6]);
  const flake = random.pick([0, 0, 0, 1]);
  const drafts = Array.from({ length: size }, (_, index) => draft(random, index));
  const repo = scratchRepo({ files: null });
  const marks = importAll(repo, drafts, flake);
  repo.git('reset', '-q', '--hard', 'main');
  const items = drafts.map((one, index): GitItem => {
    const below = one.below === null ? null : one.below;
    const loop = loopId(`i${index}`);
    return {
      index,
      loop,
      branch: `ralph/${loop}`,
      base: mark(marks, oldest(drafts, index) ? 1 : 2),
      head: mark(marks, index + 3),
      onto: below !== null && one.isDeclared ? [loopId(`i${below}`)] : [],
    };
  });
  return { repo, items, flake, pairs: Array.from({ length: PAIRS }, (_, index) => pairOf(index)) };
}

function draft(random: Random, index: number): Draft {
  const words = [`tok${index}`];
  // Pair 0 is half in main already: a branch from before that is green alone and red by now.
  const isBad = random.chance(0.15);
  if (isBad) words.push('p0b');
  if (random.chance(0.5)) words.push(`p${random.between(1, PAIRS - 1)}${random.pick(['a', 'b', 'b', 'x'])}`);
  const below = index > 0 && random.chance(0.2) ? random.int(index) : null;
  return {
    words,
    below: isBad ? null : below,
    isDeclared: random.chance(0.5),
    isOld: isBad || random.chance(0.3),
    edit: random.chance(0.3) ? { file: random.int(FILES), line: random.pick([5, 15, 25]) } : null,
  };
}

const oldest = (drafts: readonly Draft[], index: number): boolean => {
  const one = drafts[index];
  return one === undefined ? false : one.below === null ? one.isOld : oldest(drafts, one.below);
};

function mark(marks: ReadonlyMap<number, Sha>, index: number): Sha {
  const found = marks.get(index);
  if (found === undefined) throw new Error(`fast-import made no mark ${index}`);
  return found;
}

const file = (path: string, text: string): string =>
  `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`;

const linesOf = (index: number, edits: readonly { readonly line: number; readonly by: number }[]): string =>
  Array.from({ length: LINES }, (_, line) => {
    const edit = edits.find((one) => one.line === line);
    return `file ${index} line ${line}${edit === undefined ? '' : ` by ${edit.by}`}\n`;
  }).join('');

function importAll(repo: ScratchRepo, drafts: readonly Draft[], flake: number): ReadonlyMap<number, Sha> {
  const who = 'committer Ada Test <ada@example.test> 1700000000 +0000';
  const commit = (ref: string, nth: number, from: number | null, body: string): string =>
    `commit ${ref}\nmark :${nth}\n${who}\ndata ${`m${nth}`.length}\nm${nth}\n${from === null ? '' : `from :${from}\n`}${body}\n`;
  const tasks = drafts.map((_, index) => `- [ ] Item number ${index}\n`).join('');
  const first = [
    file(TRACKER, `## Tasks\n\n${tasks}`),
    file('gate.sh', gateScript(flake)),
    file('.gitignore', '*.log\n.ralph/\n'),
    file('notes.txt', 'notes\n'),
    file('new/root', 'root\n'),
    ...Array.from({ length: FILES }, (_, index) => file(`f${index}`, linesOf(index, []))),
  ].join('');
  const branches = drafts.map((one, index) => {
    const from = one.below === null ? (one.isOld ? 1 : 2) : one.below + 3;
    const text = one.edit === null ? '' : file(`f${one.edit.file}`, linesOf(one.edit.file, editsOf(drafts, index)));
    return commit(
      `refs/heads/ralph/i${index}`,
      index + 3,
      from,
      file(`new/i${index}`, `${one.words.join('\n')}\n`) + text,
    );
  });
  const main = 'refs/heads/main';
  const input = [commit(main, 1, null, first), commit(main, 2, 1, file('new/early', 'p0a\n')), ...branches].join('');
  const marksFile = join(repo.dir, '.git', 'marks');
  execFileSync('git', ['fast-import', '--quiet', `--export-marks=${marksFile}`], {
    cwd: repo.dir,
    env: plainEnvironment(),
    input,
  });
  const lines = readFileSync(marksFile, 'utf8').trim().split('\n');
  rmSync(marksFile);
  return new Map(
    lines.map((line) => [Number(line.slice(1, line.indexOf(' '))), sha(line.slice(line.indexOf(' ') + 1))]),
  );
}

/** What a branch made of its file, with what the branches below it made of the same one. */
function editsOf(drafts: readonly Draft[], index: number): readonly { readonly line: number; readonly by: number }[] {
  const top = drafts[index]?.edit ?? null;
  const found: { line: number; by: number }[] = [];
  for (let at: number | null = index; at !== null; at = drafts[at]?.below ?? null) {
    const edit = drafts[at]?.edit ?? null;
    if (edit !== null && edit.file === top?.file && !found.some((one) => one.line === edit.line))
      found.push({ line: edit.line, by: at });
  }
  return found;
}

/** What the user has lying about: changed, new and ignored files that nobody may touch. */
export function leaveThings({ dir }: ScratchRepo): void {
  writeFileSync(join(dir, 'notes.txt'), 'notes\nnot committed\n');
  writeFileSync(join(dir, 'mine.txt'), 'only here\n');
  writeFileSync(join(dir, 'debug.log'), 'ignored\n');
}
