import { chmodSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import { commitTree } from '../../../src/world/git/objects/commit.ts';
import { readLooseObject, writeObject } from '../../../src/world/git/objects/loose-objects.ts';
import { deleteLooseRef } from '../../../src/world/git/refs/update-refs.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { readTree, writeTree } from '../../../src/world/git/objects/trees.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import type { GitView } from '../../../src/world/git/run/view.ts';
import { scratchRepo } from '../scratch.ts';
import type { ScratchOptions, ScratchRepo } from '../scratch.ts';

const made: ScratchRepo[] = [];
afterEach(() => {
  for (const repo of made.splice(0)) repo.remove();
});

async function scene(options: ScratchOptions = {}): Promise<ScratchRepo & { readonly view: GitView }> {
  const scratch = scratchRepo(options);
  made.push(scratch);
  return { ...scratch, view: await openView(findRepository(scratch.dir)) };
}

const FORMATS = [[], ['--object-format=sha256']];

describe.each(FORMATS)('objects written without git %s', (...init) => {
  it('are what git would have written, byte for byte', async () => {
    const one = await scene({ init });
    for (const text of ['', 'x\n', 'ä'.repeat(100_000)]) {
      const id = await writeObject(one.view, 'blob', Buffer.from(text));
      one.write('same.txt', text);
      expect(one.git('hash-object', 'same.txt')).toBe(id);
      expect(one.git('cat-file', '-s', id)).toBe(String(Buffer.byteLength(text)));
      expect(readLooseObject(one.view, id)?.content.toString()).toBe(text);
    }
    expect(one.git('fsck', '--full', '--strict', '--no-dangling')).toBe('');
  });

  it('trees keep their order and their odd neighbours', async () => {
    const one = await scene({ init });
    for (const name of ['a', 'a.b/x', 'a-b', 'ab/y', 'A', 'z\u00e9', 'q"uote', 'sp ace']) one.write(name, name);
    chmodSync(join(one.dir, 'A'), 0o755);
    one.commit();
    const tree = one.git('rev-parse', 'HEAD^{tree}');
    const loose = await readTree(one.view, tree);
    one.git('gc', '-q');
    expect(readLooseObject(one.view, tree)).toBeNull();
    expect(await readTree(one.view, tree)).toEqual(loose);
    expect(await writeTree(one.view, loose.toReversed())).toBe(tree);
    expect(await readTree(one.view, one.git('rev-parse', 'HEAD'))).toEqual(loose);
  });

  it('commits say who, when and why as git says it', async () => {
    const one = await scene({ init });
    const head = sha(one.git('rev-parse', 'HEAD'));
    const tree = sha(one.git('rev-parse', 'HEAD^{tree}'));
    const identity = { name: 'Ada Ä. Test', email: 'ada@example.test' };
    const author = { name: 'Pat', email: 'pat@example.test' };
    const wanted = { tree, parents: [head], message: 'why\n\nA: b', identity, author, authorDateMs: 1_700_000_000_000 };
    const plain = await commitTree(one.view, wanted);
    const byGit = await commitTree({ ...one.view, isShared: true }, wanted);
    expect(one.git('cat-file', 'commit', plain)).toContain('author Pat <pat@example.test> 1700000000 ');
    expect(one.git('show', '-s', '--format=%an %ae %at %cn %ce %B %P', plain)).toBe(
      one.git('show', '-s', '--format=%an %ae %at %cn %ce %B %P', byGit),
    );
    const odd = await commitTree(one.view, { ...wanted, author: { name: ' <Pat> ', email: 'p\n@x' } });
    expect(one.git('fsck', '--strict', '--no-dangling', odd)).toBe('');
  });

  it('a damaged one is left to git', async () => {
    const one = await scene({ init });
    const id = await writeObject(one.view, 'blob', Buffer.from('whole'));
    const file = join(one.dir, '.git/objects', id.slice(0, 2), id.slice(2));
    rmSync(file);
    writeFileSync(file, 'rubbish');
    expect(readLooseObject(one.view, id)).toBeNull();
  });
});

describe('refs deleted without git', () => {
  it('only where they are, and only with their lock', async () => {
    const one = await scene();
    const head = sha(one.git('rev-parse', 'HEAD'));
    const ref = 'refs/paralph/keep/loop/one';
    one.git('update-ref', ref, head);
    const folder = join(one.dir, '.git/refs/paralph/keep/loop');
    writeFileSync(join(folder, 'one.lock'), '');
    expect(deleteLooseRef(one.view, ref, head)).toBe(false);
    expect(readdirSync(folder)).toContain('one.lock');
    rmSync(join(folder, 'one.lock'));
    expect(deleteLooseRef(one.view, ref, sha('1'.repeat(40)))).toBe(false);
    expect(one.git('rev-parse', ref)).toBe(head);
    expect(deleteLooseRef(one.view, ref, head)).toBe(true);
    expect(existsSync(folder)).toBe(false);
    one.git('update-ref', ref, head);
    one.git('pack-refs', '--all');
    expect(deleteLooseRef(one.view, ref, head)).toBe(false);
    expect(one.git('rev-parse', ref)).toBe(head);
  });
});
