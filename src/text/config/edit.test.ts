import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { setTomlKey } from './edit.ts';
import { configTemplate } from './reference.ts';
import { readTomlLayer } from './toml-layer.ts';

const edited = (text: string, key: string, value: unknown): string => {
  const edit = setTomlKey(text, key, value);
  return edit.ok ? edit.text : `refused: ${edit.reason}`;
};

describe('setTomlKey', () => {
  it.each([
    [
      'a value in place',
      '[limits] # a\niterations = 10   # b\n',
      'limits.iterations',
      5,
      '[limits] # a\niterations = 5   # b\n',
    ],
    ['through the spelling the file uses', '[limits]\nfree-mb = 2', 'limits.free_mb', 90, '[limits]\nfree-mb = 90'],
    [
      'a new key after the last of its table',
      '[gates]\ntimeout = 5 # t\n\n# next\n[limits]\n',
      'gates.commands',
      ['a', 'b"'],
      '[gates]\ntimeout = 5 # t\ncommands = ["a", "b\\""]\n\n# next\n[limits]\n',
    ],
    [
      'a new key below the comment that shows it',
      '[limits]\n# iterations = 10\n# grace = "1s"\n\n[landing]\n',
      'limits.iterations',
      5,
      '[limits]\n# iterations = 10\niterations = 5\n# grace = "1s"\n\n[landing]\n',
    ],
    [
      'a new key below a comment that spells it otherwise',
      '[limits]\n# no-progress = 3\n# grace = "1s"\n',
      'limits.no_progress',
      5,
      '[limits]\n# no-progress = 3\nno_progress = 5\n# grace = "1s"\n',
    ],
    [
      'a path below the comment that shows it',
      '[landing.merge.regenerate]\n# "package-lock.json" = "x"\n# more\n',
      'landing.merge.regenerate.package-lock.json',
      'y',
      '[landing.merge.regenerate]\n# "package-lock.json" = "x"\n"package-lock.json" = "y"\n# more\n',
    ],
    [
      'a new table at the end',
      'agent = "x"',
      'parallel.conflict_resolution.strategy',
      'stop',
      'agent = "x"\n\n[parallel.conflict_resolution]\nstrategy = "stop"\n',
    ],
    [
      'a path, in quotes',
      '[landing.merge.regenerate]\n"go.sum" = "go mod tidy"\n',
      'landing.merge.regenerate.web/package-lock.json',
      'npm i',
      '[landing.merge.regenerate]\n"go.sum" = "go mod tidy"\n"web/package-lock.json" = "npm i"\n',
    ],
    [
      'a path that is there, whatever quotes it has',
      "[landing]\nmerge.regenerate.'go.sum' = 'a' # b\n",
      'landing.merge.regenerate."go.sum"',
      'c',
      '[landing]\nmerge.regenerate.\'go.sum\' = "c" # b\n',
    ],
    [
      'a path in a table of its own',
      '',
      'landing.merge.regenerate.go.sum',
      'x',
      '[landing.merge.regenerate]\n"go.sum" = "x"\n',
    ],
    ['a message of several lines', '[landing]\n', 'landing.message', 'a\n\nb', '[landing]\nmessage = "a\\n\\nb"\n'],
    ['a name in a table', '[gates.resources]\n', 'gates.resources.db', 2, '[gates.resources]\ndb = 2\n'],
    ['the first key of an empty file', '', 'agent', 'x', 'agent = "x"\n'],
    [
      'a top key above tables',
      '#:schema x\n\n# p\n[parallel]\n',
      'agent',
      'x',
      '#:schema x\nagent = "x"\n\n# p\n[parallel]\n',
    ],
    ['a top key above a commented table', '# p\n[parallel]\n', 'agent', 'x', 'agent = "x"\n\n# p\n[parallel]\n'],
    [
      'with Windows line ends',
      '[limits]\r\ngrace = 1\r\n',
      'limits.attempts',
      2,
      '[limits]\r\ngrace = 1\r\nattempts = 2\r\n',
    ],
    ['behind a byte order mark', '\uFEFF[limits]\n', 'tasks', 'x', '\uFEFFtasks = "x"\n\n[limits]\n'],
    [
      'in an inline table',
      'parallel = {enabled = true} # c',
      'parallel.max_workers',
      4,
      'parallel = {enabled = true, max_workers = 4} # c',
    ],
    [
      'among dotted keys',
      'parallel.enabled = true\n',
      'parallel.max_workers',
      4,
      'parallel.enabled = true\nparallel.max_workers = 4\n',
    ],
    [
      'with the indent around it',
      '[limits]\n  grace = 1\n',
      'limits.attempts',
      2,
      '[limits]\n  grace = 1\n  attempts = 2\n',
    ],
    [
      'a variable beside others',
      '[agents.a]\nenv = { B = "c" }\n',
      'agents.a.env.A',
      'b',
      '[agents.a]\nenv = { B = "c", A = "b" }\n',
    ],
    [
      'a list, comments of kept items kept',
      '[gates]\ncommands = [\n  "a", # slow\n  "b",\n] # end\n',
      'gates.commands',
      ['a'],
      '[gates]\ncommands = [\n  "a", # slow\n] # end\n',
    ],
    [
      'beside keys we do not know',
      'foo = 1\n[bar]\nx = 1979-05-27\n[[baz]]\ny = inf\n',
      'agent',
      'x',
      'foo = 1\nagent = "x"\n[bar]\nx = 1979-05-27\n[[baz]]\ny = inf\n',
    ],
  ])('sets %s', (_, text, key, value, wanted) => {
    expect(edited(text, key, value)).toBe(wanted);
  });

  it.each([
    ['', 'parallel.max_wokers', 4, 'did you mean `max_workers`?'],
    ['', 'parallel', 4, 'is a table'],
    ['', 'parallel.max_workers', 0, 'from 1 to 256'],
    ['[a', 'parallel.max_workers', 1, 'line 1: not valid TOML'],
    ['parallel = 5\n', 'parallel.max_workers', 1, 'cannot be set without changing something else'],
    ['[limits]\nfree_mb = 1\nfree-mb = 2\n', 'limits.free_mb', 1, 'cannot be set without changing something else'],
  ])('refuses in %j to set %s to %j', (text, key, value, reason) => {
    expect(edited(text, key, value)).toContain(`refused: `);
    expect(edited(text, key, value)).toContain(reason);
  });

  it('changes one value of the file a project starts with, and is stable when repeated', () => {
    const text = configTemplate({ tasks: 'PRD.md', agent: 'claude', gates: ['npm test'] });
    const odd = fc.constantFrom('a', '"', "'", '\\', '#', '=', '[', ' ', 'é', '👍', '\u202E', '\uFEFF');
    const word = fc.array(odd).map((letters) => `x${letters.join('')}`);
    const cases = {
      'limits.grace': fc.integer({ min: 1, max: 9999 }),
      agent: word,
      'gates.commands': fc.array(word.map((text) => `${text}\n${text}`)),
      'landing.target': fc.constant('main'),
      'agents.new.env.A_B': word,
    };
    for (const [key, values] of Object.entries(cases)) {
      fc.assert(
        fc.property(values as fc.Arbitrary<unknown>, (value) => {
          const once = edited(text, key, value);
          const layer = readTomlLayer('repo', 'f', once);
          expect(layer.problems).toEqual([]);
          expect(layer.values.get(key)?.value).toEqual(value);
          expect(edited(once, key, value)).toBe(once);
        }),
        { numRuns: 5 },
      );
    }
  });
});
