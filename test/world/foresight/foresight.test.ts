import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loopId, sha } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { type ForesightPlace, openForesight } from '../../../src/world/foresight/foresight.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { type GitView, openView } from '../../../src/world/git/run/view.ts';
import type { Foresight } from '../../../src/world/contract/world.ts';
import { gitIn, scratchRepo } from '../scratch.ts';
import type { ScratchRepo } from '../scratch.ts';

type Watched = Parameters<Foresight['look']>[0]['loops'][number];

const lines = (...texts: string[]): string => texts.map((text) => `${text}\n`).join('');
const TEXT = lines('one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight');

let scratch: ScratchRepo;
let foresight: Foresight;
let asked: string[] = [];
beforeEach(async () => {
  scratch = scratchRepo({
    files: { 'a.txt': TEXT, 'b.txt': TEXT, 'lib/x.txt': TEXT, 'lib/y.txt': 'y\n', '.gitignore': '*.log\n' },
  });
  foresight = await open();
});
afterEach(() => scratch.remove());

async function open(more: Partial<ForesightPlace> = {}): Promise<Foresight> {
  const repo = findRepository(scratch.dir);
  const view = await openView(repo);
  asked = [];
  const watched: GitView = {
    ...view,
    run: (args, options) => (asked.push(args.join(' ')), view.run(args, options)),
    bytes: (args, options) => (asked.push(args.join(' ')), view.bytes(args, options)),
  };
  return openForesight({ repo, view: watched, ...more });
}

const main = (): Sha => sha(scratch.git('rev-parse', 'main'));
const place = (name: string): string => join(dirname(scratch.dir), `wt ${name}`);

type Begun = Omit<Watched, 'head'>;

function loop(name: string): Begun {
  scratch.git('worktree', 'add', '-q', '-b', name, place(name), 'main');
  return { loop: loopId(name), base: main() };
}

function write(name: string, file: string, text: string): void {
  mkdirSync(dirname(join(place(name), file)), { recursive: true });
  writeFileSync(join(place(name), file), text);
}

function commit({ loop: name, base }: Begun): Watched {
  gitIn(place(name), 'add', '-A');
  if (gitIn(place(name), 'status', '--porcelain') !== '') gitIn(place(name), 'commit', '-qm', 'work');
  return { loop: name, base, head: sha(gitIn(place(name), 'rev-parse', 'HEAD')) };
}

const lookAt = (loops: readonly Watched[], integration = main(), signal = new AbortController().signal) =>
  foresight.look({ integration, loops, signal });

/** As after an iteration of each. */
const look = (loops: readonly Begun[], integration?: Sha, signal?: AbortSignal) =>
  lookAt(loops.map(commit), integration, signal);

const changed = (at: number, text: string): string => TEXT.replace(lines(TEXT.split('\n')[at] ?? ''), lines(text));

describe('foresight', () => {
  it('says nothing of work that merges, in other files or in other lines of the same', async () => {
    const loops = ['a', 'b', 'c'].map(loop);
    write('a', 'a.txt', changed(0, 'a'));
    write('b', 'a.txt', changed(7, 'b'));
    write('c', 'b.txt', changed(0, 'c'));
    expect(await look(loops)).toEqual({});
    expect(asked.some((args) => args.startsWith('merge-tree'))).toBe(true);
  });

  it('sees work that does not merge with main', async () => {
    const loops = [loop('a')];
    write('a', 'a.txt', changed(0, 'ours'));
    expect(await look(loops)).toEqual({});
    scratch.write('a.txt', changed(0, 'theirs'));
    scratch.commit('theirs');
    expect(await look(loops)).toEqual({ a: [{ with: null, paths: ['a.txt'] }] });
  });

  it('sees two loops that do not merge, both ways', async () => {
    const [a, b, c] = [loop('a'), loop('b'), loop('c')];
    write('a', 'a.txt', changed(0, 'a'));
    write('a', 'new/n.txt', 'from a\n');
    write('b', 'a.txt', changed(0, 'b'));
    write('c', 'new/n.txt', 'from c\n');
    const picture = await look([c, b, a]);
    expect(JSON.stringify(picture)).toBe(
      JSON.stringify({
        a: [
          { with: 'b', paths: ['a.txt'] },
          { with: 'c', paths: ['new/n.txt'] },
        ],
        b: [{ with: 'a', paths: ['a.txt'] }],
        c: [{ with: 'a', paths: ['new/n.txt'] }],
      }),
    );
  });

  it('takes no old branch for one that conflicts with all that landed since', async () => {
    const old = loop('old');
    write('old', 'a.txt', changed(6, 'old'));
    scratch.write('a.txt', changed(0, 'landed'));
    scratch.commit('landed');
    const fresh = loop('fresh');
    write('fresh', 'a.txt', changed(0, 'fresh'));
    expect(await look([old, fresh])).toEqual({});
    write('old', 'a.txt', changed(0, 'old'));
    expect(await look([old, fresh])).toEqual({ old: [{ with: null, paths: ['a.txt'] }] });
  });

  it('sees a folder that one moved and another adds to, and a file in place of a folder', async () => {
    const loops = ['a', 'b', 'c'].map(loop);
    gitIn(place('a'), 'mv', 'lib', 'src');
    write('b', 'lib/new.txt', 'new\n');
    rmSync(join(place('c'), 'b.txt'));
    write('c', 'b.txt/in.txt', 'folder\n');
    write('a', 'b.txt', changed(0, 'a'));
    const picture = await look(loops);
    expect(picture[loopId('b')]).toEqual([{ with: 'a', paths: [expect.stringMatching(/new\.txt$/)] }]);
    expect(picture[loopId('c')]?.map((one) => one.with)).toEqual(['a']);
  });

  it('sees work that puts a file in the place of a folder', async () => {
    const a = loop('a');
    rmSync(join(place('a'), 'lib'), { recursive: true });
    writeFileSync(join(place('a'), 'lib'), 'now a file\n');
    writeFileSync(join(scratch.dir, 'lib/y.txt'), 'theirs\n');
    scratch.commit('theirs');
    expect((await look([a]))[a.loop]?.map((one) => one.with)).toEqual([null]);
  });

  it('ignores what is ignored, and what a rule settles', async () => {
    writeFileSync(join(scratch.dir, '.git/info/exclude'), '*.tmp\n');
    const loops = ['a', 'b'].map(loop);
    for (const name of ['a', 'b']) {
      write(name, 'x.log', name);
      write(name, 'x.tmp', name);
      write(name, 'CHANGES', `${name}\n`);
    }
    expect(await look(loops)).toMatchObject({ a: [{ with: 'b', paths: ['CHANGES'] }] });
    foresight = await open({ isSettled: (path) => path === 'CHANGES' });
    expect(await look(loops)).toEqual({});
  });

  it('adds no object to the repository, and leaves nothing behind', async () => {
    const loops = ['a', 'b'].map(loop);
    for (const name of ['a', 'b']) write(name, 'a.txt', changed(0, name));
    const heads = loops.map(commit);
    const facts = (): unknown => [scratch.git('count-objects', '-v'), scratch.git('for-each-ref')];
    const before = facts();
    expect(Object.keys(await lookAt(heads))).toEqual(['a', 'b']);
    expect(facts()).toEqual(before);
    expect(readdirSync(join(scratch.dir, '.git/paralph/tmp'))).toEqual([]);
  });

  it('runs nothing that somebody planted', async () => {
    const ran = join(dirname(scratch.dir), 'ran');
    const loops = ['a', 'b'].map(loop);
    const keys = ['filter.evil.clean', 'filter.evil.process', 'core.fsmonitor', 'merge.evil.driver'];
    for (const key of keys) scratch.git('config', key, `touch '${ran}'; cat`);
    for (const name of ['a', 'b']) {
      write(name, '.gitattributes', '* filter=evil merge=evil\n');
      write(name, 'a.txt', changed(0, name));
    }
    const heads = loops.map(commit);
    rmSync(ran, { force: true });
    for (const hook of ['post-index-change', 'reference-transaction'])
      writeFileSync(join(scratch.dir, '.git/hooks', hook), `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 });
    expect(Object.keys(await lookAt(heads))).toEqual(['a', 'b']);
    expect(existsSync(ran)).toBe(false);
  });

  it('leaves out a branch without a common ancestor, and tells of those behind it', async () => {
    const loops = ['a', 'b', 'c'].map(loop);
    for (const name of ['a', 'b', 'c']) write(name, 'a.txt', changed(0, name));
    scratch.write('a.txt', changed(0, 'theirs'));
    scratch.commit('theirs');
    const tree = scratch.git('rev-parse', 'main~1^{tree}');
    const alien = sha(scratch.git('commit-tree', '-m', 'alien', tree));
    gitIn(place('a'), 'reset', '-q', '--soft', alien);
    expect(await look(loops)).toEqual({
      b: [{ with: null, paths: ['a.txt'] }],
      c: [{ with: null, paths: ['a.txt'] }],
    });
  });

  it('says nothing when it is aborted or integration is unknown, and leaves nothing behind', async () => {
    const loops = ['a', 'b'].map(loop);
    for (const name of ['a', 'b']) write(name, 'a.txt', changed(0, name));
    const stop = new AbortController();
    const aborted = look(loops, main(), stop.signal);
    stop.abort();
    expect(await aborted).toEqual({});
    expect(await look(loops, sha('1'.repeat(40)))).toEqual({});
    expect(Object.keys(await look(loops))).toEqual(['a', 'b']);
    expect(readdirSync(join(scratch.dir, '.git/paralph/tmp'))).toEqual([]);
  });

  it('removes what a killed look left', async () => {
    const dead = join(
      scratch.dir,
      '.git/paralph/tmp',
      `objects-${Buffer.from('{"pid":1,"bootId":"x"}').toString('base64url')}.1`,
    );
    mkdirSync(dead, { recursive: true });
    const loops = ['a', 'b'].map(loop);
    for (const name of ['a', 'b']) write(name, 'a.txt', changed(0, name));
    await look(loops);
    expect(existsSync(dead)).toBe(false);
  });
});
