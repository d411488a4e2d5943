import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffRows } from './diff-rows.ts';

const PATCH = `diff --git a/src/a.ts b/src/a.ts
index 111..222 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,4 @@ export function a() {
 one
-two
+\ttwo!
+--- three
 four
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+all
\\ No newline at end of file
`;

describe('the rows of a diff', () => {
  const rows = diffRows(PATCH);

  it('know where each line stands', () => {
    expect(rows.map(({ text, kind }) => `${kind} ${text}`)).toEqual([
      'file src/a.ts',
      'hunk @@ -1,3 +1,4 @@ export function a() {',
      'same     1    1   one',
      'removed     2      - two',
      'added          2 +     two!',
      'added          3 + --- three',
      'same     3    4   four',
      'file new.txt',
      'other new file mode 100644',
      'hunk @@ -0,0 +1 @@',
      'added          1 + all',
      'other \\ No newline at end of file',
    ]);
    expect(rows[3]?.place).toEqual({ path: 'src/a.ts', side: 'old', line: 2, code: 'two' });
    expect(rows[5]?.place).toEqual({ path: 'src/a.ts', side: 'new', line: 3, code: '--- three' });
    expect(rows[10]?.place).toEqual({ path: 'new.txt', side: 'new', line: 1, code: 'all' });
  });

  it('are inert, whatever is in the files', () => {
    const hostile = diffRows(PATCH.replace('all', '\u001b]52;c;aGk=\u0007\u001b[2J\u202eall'));
    expect(hostile.at(-2)?.text).toBe('         1 + all');
    // oxlint-disable-next-line no-control-regex
    const acting = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/;
    fc.assert(fc.property(fc.string(), (text) => diffRows(`${PATCH}${text}`).every((row) => !acting.test(row.text))));
  });
});
