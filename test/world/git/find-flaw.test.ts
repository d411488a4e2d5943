import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import { findFlaw } from '../../../src/world/git/objects/find-flaw.ts';
import { holdTrust } from '../../../src/world/git/run/trusted-folder.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import { gitIn, plainEnvironment, scratchRepo } from '../scratch.ts';
import type { ScratchOptions, ScratchRepo } from '../scratch.ts';

const made: ScratchRepo[] = [];
afterEach(() => {
  for (const repo of made.splice(0)) repo.remove();
});

interface Scene extends ScratchRepo {
  /** A commit of a tree of these lines beside what main has, on top of main. */
  odd(...lines: string[]): string;
  tree(...lines: string[]): string;
  blob(text: string): string;
  raw(type: string, text: string): string;
  /** What is wrong with it beside main. */
  flaw(tip: string): Promise<string | null>;
}

function scene(options?: ScratchOptions): Scene {
  const repo = scratchRepo({ files: { 'a.txt': 'a\n', 'deep/b.txt': 'b\n' }, ...options });
  made.push(repo);
  const { git, dir } = repo;
  const piped = (input: string, ...args: string[]): string =>
    execFileSync('git', args, { cwd: dir, env: plainEnvironment(), input }).toString().trim();
  const tree = (...lines: string[]): string => piped(lines.map((line) => `${line}\n`).join(''), 'mktree', '--missing');
  return {
    ...repo,
    tree,
    blob: (text) => piped(text, 'hash-object', '-w', '--stdin'),
    raw: (type, text) => piped(text, 'hash-object', '--literally', '-w', '-t', type, '--stdin'),
    odd: (...lines) =>
      git('commit-tree', '-m', 'odd', '-p', 'main', tree(...git('ls-tree', 'main').split('\n'), ...lines)),
    flaw: async (tip) => {
      const found = findRepository(dir);
      return findFlaw({ repo: found, view: await openView(found) }, [sha(tip)], [sha(git('rev-parse', 'main'))]);
    },
  };
}

const NOWHERE = '1'.repeat(40);
const objectFile = ({ dir }: ScratchRepo, id: string): string => join(dir, '.git/objects', id.slice(0, 2), id.slice(2));

describe('what may not land', () => {
  it('an object that is missing, wherever it is named, or that is not what its id says', async () => {
    const one = scene();
    const { odd, flaw, git, blob } = one;
    expect(await flaw(odd(`100644 blob ${NOWHERE}\tx`))).toContain(NOWHERE);
    expect(await flaw(odd(`040000 tree ${NOWHERE}\tx`))).toContain(NOWHERE);
    const later = git('commit-tree', '-m', 'back', '-p', odd(`100644 blob ${NOWHERE}\tx`), 'main^{tree}');
    expect(await flaw(later)).toContain(NOWHERE);
    const [said, other] = [blob('said\n'), blob('other\n')];
    const tip = odd(`100644 blob ${said}\tx`);
    expect(await flaw(tip)).toBeNull();
    chmodSync(objectFile(one, said), 0o644);
    copyFileSync(objectFile(one, other), objectFile(one, said));
    expect(await flaw(tip)).not.toBeNull();
    rmSync(objectFile(one, said));
    expect(await flaw(tip)).toContain(said);
    expect(existsSync(join(one.dir, '.git/paralph/tmp/new'))).toBe(false);
  });

  it('what a server that checks refuses: names, modes, order, headers', async () => {
    const { odd, flaw, blob, tree, raw, git } = scene();
    const x = blob('x');
    expect(await flaw(odd(`040000 tree ${tree(`100644 blob ${x}\t.git`)}\tx`))).toContain('hasDotgit');
    expect(await flaw(odd(`100644 blob ${x}\t..`))).toContain('hasDotdot');
    expect(await flaw(odd(`120000 blob ${x}\t.gitmodules`))).toContain('gitmodulesSymlink');
    const head = `tree ${git('rev-parse', 'main^{tree}')}\nparent ${git('rev-parse', 'main')}\n`;
    const commit = (rest: string): string => raw('commit', `${head}${rest}\n\nm\n`);
    expect(await flaw(commit('author a <a@b> 1 +0000'))).toContain('missingCommitter');
    expect(await flaw(commit('author a <a@b> x +0000\ncommitter a <a@b> 1 +0000'))).toContain('badDate');
  });

  it('what is only behind alternates that were written since the run began; those from before count', async () => {
    const one = scene();
    const { dir, odd, flaw, git } = one;
    const outer = dirname(dir);
    const elsewhere = (name: string): string => {
      mkdirSync(join(outer, name));
      gitIn(join(outer, name), 'init', '-q');
      writeFileSync(join(outer, name, 'f'), name);
      return gitIn(join(outer, name), 'hash-object', '-w', 'f');
    };
    const [old, young] = [elsewhere('old'), elsewhere('young')];
    const file = join(dir, '.git/objects/info/alternates');
    writeFileSync(file, '# mine\n../../../old/.git/objects\n');
    await holdTrust(findRepository(dir).commonDir);
    appendFileSync(file, `${join(outer, 'young/.git/objects')}\n`);
    expect(git('cat-file', '-p', young)).toBe('young');
    expect(await flaw(odd(`100644 blob ${old}\tx`))).toBeNull();
    expect(await flaw(odd(`100644 blob ${young}\tx`))).toContain(young);
  });
});

describe('what may', () => {
  it.each([['sha1'], ['sha256']])(
    'links, submodules, merges, empty trees, signatures, odd names and headers: %s',
    async (format) => {
      const { odd, flaw, blob, tree, raw, git } = scene({ init: [`--object-format=${format}`] });
      const x = blob('x');
      const gone = git('rev-parse', 'main').replaceAll(/./g, '2');
      const tip = odd(
        `120000 blob ${x}\tlink`,
        `160000 commit ${gone}\tsub`,
        String.raw`100755 blob ${x}	"na\351me"`,
        `040000 tree ${tree()}\tempty`,
      );
      expect(await flaw(tip)).toBeNull();
      const person = 'a <a@b> 1 +0000';
      const signed = raw(
        'commit',
        `tree ${git('rev-parse', 'main^{tree}')}\nparent ${git('rev-parse', 'main')}\nparent ${tip}\nauthor ${person}\n` +
          `committer ${person}\nencoding ISO-8859-1\nHG:extra x\ngpgsig -----BEGIN\n x\n -----END\n\nm\n`,
      );
      expect(await flaw(signed)).toBeNull();
      expect(await flaw(git('rev-parse', 'main'))).toBeNull();
      expect(await flaw(git('rev-parse', `${tip}^{tree}`))).toBeNull();
    },
  );

  it('whatever the known commits already hold, malformed or not', async () => {
    const { flaw, raw, git, odd, blob } = scene();
    const tree = git('rev-parse', `${odd(`100644 blob ${blob('x')}\t.git`)}^{tree}`);
    const bad = raw('commit', `tree ${tree}\nparent ${git('rev-parse', 'main')}\nauthor a a\ncommitter a\n\nm\n`);
    expect(await flaw(bad)).not.toBeNull();
    git('update-ref', 'refs/heads/main', bad);
    const tip = git(
      '-c',
      'user.name=a',
      '-c',
      'user.email=a@b',
      'commit-tree',
      '-m',
      'new',
      '-p',
      bad,
      `${bad}^{tree}`,
    );
    expect(await flaw(tip)).toBeNull();
  });
});
