import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loopId, sha } from '../../src/core/ids.ts';
import type { Sha } from '../../src/core/ids.ts';
import { type ForesightPlace, openForesight } from '../../src/world/foresight.ts';
import { findRepository } from '../../src/world/git/repository.ts';
import { type GitView, openView } from '../../src/world/git/view.ts';
import type { Foresight } from '../../src/world/world.ts';
import { gitIn, scratchRepo } from './scratch.ts';
import type { ScratchRepo } from './scratch.ts';

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

function loop(name: string): Watched {
  scratch.git('worktree', 'add', '-q', '-b', name, place(name), 'main');
  return { loop: loopId(name), path: place(name), base: main(), head: main(), dirty: true };
}

function write(name: string, file: string, text: string): void {
  mkdirSync(dirname(join(place(name), file)), { recursive: true });
  writeFileSync(join(place(name), file), text);
}

const commit = (name: string): Sha => {
  gitIn(place(name), 'add', '-A');
  gitIn(place(name), 'commit', '-qm', 'work');
  return sha(gitIn(place(name), 'rev-parse', 'HEAD'));
};

const look = (loops: readonly Watched[], integration = main(), signal = new AbortController().signal) =>
  foresight.look({ integration, loops, signal });

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

  it('sees uncommitted work that does not merge with main', async () => {
    const loops = [loop('a')];
    write('a', 'a.txt', changed(0, 'ours'));
    expect(await look(loops)).toEqual({});
    scratch.write('a.txt', changed(0, 'theirs'));
    scratch.commit('theirs');
    expect(await look(loops)).toEqual({ a: [{ with: null, paths: ['a.txt'] }] });
  });

  it('sees two loops that do not merge, both ways, committed, staged or new', async () => {
    const [a, b, c] = [loop('a'), loop('b'), loop('c')];
    write('a', 'a.txt', changed(0, 'a'));
    write('a', 'new/n.txt', 'from a\n');
    write('b', 'a.txt', changed(0, 'b'));
    const head = commit('b');
    write('c', 'new/n.txt', 'from c\n');
    gitIn(c.path, 'add', '-A');
    const picture = await look([c, { ...b, head, dirty: false }, a]);
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

  it('compares two loops on top of what landed, not where they parted', async () => {
    const oldest = loop('a');
    write('a', 'a.txt', changed(0, 'second'));
    scratch.write('a.txt', changed(0, 'first'));
    scratch.commit('first');
    const older = loop('b');
    write('b', 'a.txt', changed(0, 'first').replace('eight', 'by b'));
    scratch.write('a.txt', changed(0, 'second'));
    scratch.commit('second');
    expect(await look([oldest, older])).toEqual({});
    expect(await look([{ ...oldest, loop: loopId('c') }, older])).toEqual({});
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

  it('sees work that puts a file in the place of a folder and has not committed it', async () => {
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

  it('touches neither index nor objects, and leaves nothing behind', async () => {
    const loops = ['a', 'b'].map(loop);
    for (const name of ['a', 'b']) {
      write(name, 'a.txt', changed(0, name));
      write(name, 'fresh.txt', `${name}\n`);
      utimesSync(join(place(name), 'b.txt'), 1, 1);
    }
    const facts = (): unknown => [
      ...['a', 'b'].map((name) => {
        const index = join(gitIn(place(name), 'rev-parse', '--absolute-git-dir'), 'index');
        return [readFileSync(index).toString('hex'), statSync(index).ino, existsSync(`${index}.lock`)];
      }),
      scratch.git('count-objects', '-v'),
      scratch.git('for-each-ref'),
    ];
    const before = facts();
    expect(Object.keys(await look(loops))).toEqual(['a', 'b']);
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
    for (const hook of ['post-index-change', 'reference-transaction'])
      writeFileSync(join(scratch.dir, '.git/hooks', hook), `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 });
    expect(Object.keys(await look(loops))).toEqual(['a', 'b']);
    expect(existsSync(ran)).toBe(false);
  });

  it('sees a change of the same size in the second in which the index was written', async () => {
    const loops = ['a', 'b'].map(loop);
    const second = Math.floor(Date.now() / 1000) - 100;
    for (const name of ['a', 'b']) {
      const index = join(gitIn(place(name), 'rev-parse', '--absolute-git-dir'), 'index');
      utimesSync(join(place(name), 'a.txt'), second, second);
      gitIn(place(name), 'update-index', '--refresh');
      utimesSync(index, second, second);
      write(name, 'a.txt', changed(0, `${name}ne`.padEnd(3, name)));
      utimesSync(join(place(name), 'a.txt'), second, second);
    }
    expect(Object.keys(await look(loops))).toEqual(['a', 'b']);
  });

  it('merges nothing again when nothing changed, and only what is new when one did', async () => {
    const loops = ['a', 'b', 'c'].map(loop);
    for (const name of ['a', 'b', 'c']) write(name, 'a.txt', changed(0, name));
    const first = await look(loops);
    asked.length = 0;
    expect(await look(loops)).toEqual(first);
    expect(asked.map((args) => args.split(' ')[0])).toEqual(['ls-files', 'ls-files', 'ls-files']);
    write('c', 'a.txt', changed(7, 'c, elsewhere'));
    expect(await look(loops)).toEqual({ a: [{ with: 'b', paths: ['a.txt'] }], b: [{ with: 'a', paths: ['a.txt'] }] });
    write('c', 'a.txt', changed(0, 'c'));
    expect(await look(loops)).toEqual(first);
  });

  it('leaves out a worktree that is gone, mid-merge or broken, and tells of the others', async () => {
    const loops = ['a', 'b', 'gone', 'merging', 'broken'].map(loop);
    for (const { loop: name } of loops) write(name, 'a.txt', changed(0, name));
    commit('merging');
    scratch.write('b.txt', changed(0, 'theirs'));
    const theirs = scratch.commit('theirs');
    gitIn(place('merging'), 'merge', '-q', '--no-commit', '--no-ff', theirs);
    rmSync(place('gone'), { recursive: true });
    writeFileSync(join(gitIn(place('broken'), 'rev-parse', '--absolute-git-dir'), 'index'), 'garbage');
    expect(Object.keys(await look(loops))).toEqual(['a', 'b']);
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
    expect(readdirSync(join(scratch.dir, '.git/paralph/tmp'))).toEqual([]);
    expect(Object.keys(await look(loops))).toEqual(['a', 'b']);
  });

  it('removes what a killed look left', async () => {
    const dead = join(
      scratch.dir,
      '.git/paralph/tmp',
      `objects-${Buffer.from('{"pid":1,"bootId":"x"}').toString('base64url')}.1`,
    );
    mkdirSync(dead, { recursive: true });
    write(loop('a').loop, 'a.txt', 'x\n');
    await look([{ loop: loopId('a'), path: place('a'), base: main(), head: main(), dirty: true }]);
    expect(existsSync(dead)).toBe(false);
  });
});
