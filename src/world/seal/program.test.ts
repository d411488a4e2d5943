import { describe, expect, it } from 'vitest';
import { writesOutside } from './program.ts';

const FILE = '/somewhere/repo/src/a.txt';

describe('a program says that it writes a file outside its worktree', () => {
  it.each([
    'echo x > $MAIN/src/a.txt',
    'echo x >> "$MAIN/src/a.txt"; true',
    'echo x > "${MAIN}"/src/a.txt',
    'echo x > /somewhere/repo/src/a.txt',
    'echo x > ../../../src/a.txt',
    'echo x > "$(dirname "$(git rev-parse --git-common-dir)")/src/a.txt"',
    'cp own.txt $MAIN/src/a.txt',
    'cp own.txt "$MAIN/src/a.txt" && true',
    'rm -f $main/src/a.txt',
    'sed -i s/a/b/ $MAIN/src/a.txt',
    'cd $MAIN; echo x > src/a.txt',
    'cd "$MAIN" && touch src/a.txt',
    '(cd ../../..; mkdir -p src; echo x > src/a.txt)',
    'cd $MAIN\necho x > ./src/a.txt',
    "writeFileSync(join(main, 'src/a.txt'), 'x')",
    'fs.appendFileSync(`${main}/src/a.txt`, "x")',
    "open(os.path.join(main, 'src/a.txt'), 'w').write('x')",
    "(Path(main) / 'src/a.txt').write_text('x')",
  ])('%s', (text) => expect(writesOutside(text, FILE, () => true)).toBe(true));

  it.each([
    'echo x > src/a.txt',
    'echo x > ./src/a.txt',
    'echo x > $PWD/src/a.txt',
    'echo x > "$RALPH_WORKTREE/src/a.txt"',
    'echo x > $OUT/logs/a.txt',
    'echo x > /elsewhere/src/a.txt',
    'echo x > $MAIN/src/a.txt.bak',
    'cat $MAIN/src/a.txt > copy.txt',
    'cp $MAIN/src/a.txt .',
    'grep x "$MAIN/src/a.txt" | tee own.txt',
    'test -e $MAIN/src/a.txt && echo there',
    'until [ -e "$main/src/a.txt" ]; do sleep 1; done',
    'cd $RALPH_WORKTREE; echo x > src/a.txt',
    "readFileSync(join(main, 'src/a.txt'))",
    "open(os.path.join(main, 'src/a.txt')).read()",
  ])('and does not: %s', (text) => expect(writesOutside(text, FILE, () => true)).toBe(false));

  it.each([
    ['echo x > $MAIN/src/a.txt', null],
    ['[ "$RALPH_TASK_ID" = leak ] && echo x > $MAIN/src/a.txt', ['leak']],
    ['if test $RALPH_TASK_ID = leak; then\n  echo x > $MAIN/src/a.txt\nfi', ['leak']],
    ['case "$RALPH_TASK_ID" in\n  good) true ;;\n  leak|other) echo x > $MAIN/src/a.txt ;;\nesac', ['leak', 'other']],
    ['case $RALPH_TASK_ID in good) true;; *) echo x > $MAIN/src/a.txt;; esac', null],
    ['echo $RALPH_TASK_ID > own.txt; echo x > $MAIN/src/a.txt', null],
  ])('and for which tasks: %s', (text, tasks) => {
    const seen: unknown[] = [];
    writesOutside(text, FILE, (names) => (seen.push(names), true));
    expect(seen).toEqual([tasks]);
  });

  it('of a folder nothing', () =>
    expect(writesOutside('echo x > $MAIN/src/a.txt', '/somewhere/repo/src/', () => true)).toBe(false));
});
