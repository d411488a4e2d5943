import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { problemLine, type Layer } from './layer.ts';
import { readTomlLayer } from './toml-layer.ts';

const read = (text: string): Layer => readTomlLayer('repo', 'ralph.toml', text);
const lines = (text: string): string[] => read(text).problems.map(problemLine);
const plain = (text: string) => Object.fromEntries([...read(text).values].map(([key, { value }]) => [key, value]));

describe('readTomlLayer', () => {
  it('reads every way TOML can write a key', () => {
    const text = [
      '# top',
      'tasks = "PRD.md" # c',
      'parallel.max-workers = 4',
      "\"completion_promise\" = '''DONE'''",
      '[parallel.conflict-resolution]',
      'ai_agent = "codex"',
      '[gates]',
      'commands = [',
      '  "a = [b]", # not a key',
      '  """',
      '[limits]',
      'iterations = 99""",',
      ']',
      '[agents]',
      'mine = { command = ["x"], env.A = "1", env.B = "2" }',
      '[limits]',
      'runtime = 60',
    ].join('\n');
    expect(lines(text)).toEqual([]);
    expect(plain(text)).toEqual({
      tasks: 'PRD.md',
      'parallel.max_workers': 4,
      completion_promise: 'DONE',
      'parallel.conflict_resolution.ai_agent': 'codex',
      'gates.commands': ['a = [b]', '[limits]\niterations = 99'],
      'agents.mine.command': ['x'],
      'agents.mine.env.A': '1',
      'agents.mine.env.B': '2',
      'limits.runtime': 60,
    });
    const places = Object.fromEntries(
      [...read(text).values].map(([key, { line, column }]) => [key, `${line}:${column}`]),
    );
    expect(places).toMatchObject({
      tasks: '2:1',
      'parallel.max_workers': '3:1',
      'gates.commands': '8:1',
      'agents.mine.env.B': '15:40',
      'limits.runtime': '17:1',
    });
  });

  it('takes a byte order mark and Windows line ends without moving places', () => {
    const text = '\uFEFFtasks = 5\r\n[limits]\r\ngrace = "x"\r\n';
    expect(read(text).problems.map(({ line, column }) => [line, column])).toEqual([
      [1, 9],
      [3, 9],
    ]);
  });

  it('is empty for an empty file', () => {
    expect(read('')).toEqual({ kind: 'repo', name: 'ralph.toml', values: new Map(), refused: new Set(), problems: [] });
  });

  it('reports every problem at once, in file order, each at its place', () => {
    const text = [
      'agnet = "claude"',
      '[parallel]',
      'max_workers = 10000',
      'enabled = "yes"',
      '  merge_polcy = "pr"',
      '[gates]',
      'commands = ["ok",',
      '   7]',
      '[paralel]',
      'a = 1',
      'b = 2',
      '[agents.x]',
      'env = { OK = "v", BAD = "a\\nb", "9" = "c" }',
    ].join('\n');
    expect(lines(text)).toEqual([
      'ralph.toml:1:1 unknown key `agnet`, did you mean `agent`?',
      'ralph.toml:3:15 `parallel.max_workers` must be a whole number from 1 to 256, not 10000',
      'ralph.toml:4:11 `parallel.enabled` must be true or false, not "yes"',
      'ralph.toml:5:3 unknown key `parallel.merge_polcy`, did you mean `merge_policy`?',
      'ralph.toml:8:4 `gates.commands` must be a list of texts: shell commands; item 2 is 7',
      'ralph.toml:9:2 unknown key `paralel`, did you mean `parallel`?',
      'ralph.toml:13:25 `agents.x.env.BAD` must be a text without line breaks and NUL, not "a\\nb"',
      'ralph.toml:13:33 "9" cannot be a variable name: use letters, digits and _, not starting with a digit',
    ]);
    expect(plain(text)).toEqual({ 'agents.x.env.OK': 'v' });
  });

  it.each([
    ['limits = 3', 'ralph.toml:1:10 `limits` must be a table, not 3'],
    ['[[limits]]', 'ralph.toml:1:3 `limits` must be a table, not a list'],
    ['[agent]\nname = "x"', 'ralph.toml:1:2 `agent` must be a non-empty text on one line, not a table'],
    ['agents.x = "claude"', 'ralph.toml:1:12 `agents.x` must be a table, not "claude"'],
    ['[agents.x]\nenv = ["A=b"]', 'ralph.toml:2:7 `agents.x.env` must be a table, not a list'],
    ['[gates]\ntimeout = 2020-01-01', 'ralph.toml:2:11 `gates.timeout` must be "auto" or a time above zero'],
  ])('keeps tables and values apart in %j', (text, problem) => {
    expect(lines(text)).toHaveLength(1);
    expect(lines(text)[0]).toContain(problem);
  });

  it.each([
    [
      '[parallel]\nmax-workers = 1\nmax_workers = 1',
      'ralph.toml:3:1 `parallel.max_workers` is already set on line 2; keep one of the two',
    ],
    ['agent = "a"\nagent = "b"', 'ralph.toml:2:1 not valid TOML: Value already defined for agent'],
    ['[limits]\n[limits]', 'ralph.toml:2:1 not valid TOML: Table already defined: limits'],
    ['agent = ', 'ralph.toml:1:1 not valid TOML: Expected value, reached EOF'],
    ['tasks = "x\n', 'ralph.toml:1:11 not valid TOML: Newline (0x0A) not allowed in basic strings'],
    ['ok = [1\n\n[limits]', 'ralph.toml:3:'],
    [
      '[agents.a]\ncommand = ["sh", "echo "<x>""]',
      'ralph.toml:2:18 not valid TOML: A quote inside a text must be written \\"',
    ],
    [`a = ${'['.repeat(200_000)}`, 'ralph.toml:1:1 not valid TOML: nested too deeply'],
    ['a\0b', 'ralph.toml:1:2 not valid TOML: Control char 0x00 not allowed'],
  ])('refuses what is written twice or is not TOML (case %#)', (text, problem) => {
    expect(
      lines(text).some((line) => line.includes(problem)),
      lines(text).join('\n'),
    ).toBe(true);
  });

  it('reports a twin once, and what else is wrong with the file too', () => {
    expect(lines('agent = "a"\nagent = "b"\nfoo = 1')).toHaveLength(2);
  });

  it('refuses a file larger than 1 MB unread', () => {
    expect(lines(`# ${'x'.repeat(1_048_576)}`)).toEqual(['ralph.toml:1:1 is larger than 1 MB']);
  });

  it('lets no key reach a prototype', () => {
    expect(lines('[__proto__]\npolluted = 1\n[constructor.prototype]\npolluted = 1')).toHaveLength(2);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('never throws', () => {
    const bits = fc.constantFrom(
      '[',
      ']',
      '{',
      '}',
      '=',
      '.',
      '"',
      "'''",
      '"""',
      '\n',
      '\r\n',
      '#',
      ',',
      'agents',
      'x',
      'limits',
      '-',
      '1',
      'e',
      ' ',
      '\\',
      'é',
      '\uD800',
    );
    fc.assert(
      fc.property(fc.array(bits, { maxLength: 40 }), (parts) => void read(parts.join(''))),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 0xff_ff })).map((units) => String.fromCharCode(...units)),
        (text) => void read(text),
      ),
      { numRuns: 100 },
    );
  });
});
