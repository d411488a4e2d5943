import { describe, expect, it } from 'vitest';
import { KEYS } from './keys.ts';
import { problemLine, readEnvLayer, readFlagLayer, type Layer } from './layer.ts';

const plain = (layer: Layer) => Object.fromEntries([...layer.values].map(([key, { value }]) => [key, value]));
const lines = (layer: Layer) => layer.problems.map(problemLine);

describe('readEnvLayer', () => {
  it('reads every kind of value from its text', () => {
    const layer = readEnvLayer({
      RALPH_TASKS: 'PRD.md',
      RALPH_PARALLEL_ENABLED: 'YES',
      RALPH_PARALLEL_MAX_WORKERS: '7',
      RALPH_PARALLEL_CONFLICT_RESOLUTION_AI_AGENT: 'codex',
      RALPH_GATES_COMMANDS: 'npm test, npm run lint',
      RALPH_GATES_TIMEOUT: '90',
      RALPH_LIMITS_RUNTIME: '1h30m',
      RALPH_LANDING_METHOD: 'squash',
      RALPH_LANDING_GATE_SLOTS: ' 2',
      RALPH_LANDING_MESSAGE: 'Land\n\nit',
      RALPH_LANDING_MERGE_UNION: '',
    });
    expect(layer.problems).toEqual([]);
    expect(plain(layer)).toEqual({
      tasks: 'PRD.md',
      'parallel.enabled': true,
      'parallel.max_workers': 7,
      'parallel.conflict_resolution.ai_agent': 'codex',
      'gates.commands': ['npm test', 'npm run lint'],
      'gates.timeout': 90,
      'limits.runtime': '1h30m',
      'landing.method': 'squash',
      'landing.gate_slots': 2,
      'landing.message': 'Land\n\nit',
    });
    expect(layer.values.get('limits.runtime')).toMatchObject({ source: 'RALPH_LIMITS_RUNTIME', line: 0 });
  });

  it('takes a JSON list where an item holds a comma', () => {
    expect(plain(readEnvLayer({ RALPH_GATES_COMMANDS: '["echo a,b", "x"]' }))).toEqual({
      'gates.commands': ['echo a,b', 'x'],
    });
    expect(lines(readEnvLayer({ RALPH_GATES_COMMANDS: '["echo' }))).toEqual([
      'RALPH_GATES_COMMANDS (environment) `gates.commands` must be a list of texts: shell commands, not "[\\"echo"',
    ]);
  });

  it('leaves alone what is reserved, unknown, empty or an agent', () => {
    const names = ['TASK_ID', 'LOOP_ID', 'ITERATION', 'TOKEN', 'STORE', 'DEBUG', 'WHATEVER', 'AGENTS_X_COMMAND'];
    const layer = readEnvLayer({ ...Object.fromEntries(names.map((name) => [`RALPH_${name}`, 'x'])), RALPH_AGENT: '' });
    expect([layer.values.size, layer.problems]).toEqual([0, []]);
    expect(KEYS.filter(({ env }) => names.some((name) => env === `RALPH_${name}`))).toEqual([]);
  });

  it('names the variable that is wrong', () => {
    expect(readEnvLayer({ RALPH_PARALLEL_MAX_WORKERS: '-2' }).problems).toEqual([
      {
        file: 'RALPH_PARALLEL_MAX_WORKERS (environment)',
        line: 0,
        column: 0,
        message: '`parallel.max_workers` must be a whole number from 1 to 256, not -2',
      },
    ]);
  });

  it('gives no two keys the same variable', () => {
    const names = KEYS.flatMap(({ env }) => (env === null ? [] : [env]));
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('readFlagLayer', () => {
  it('reads keys by any accepted spelling, agents too', () => {
    const layer = readFlagLayer(
      new Map([
        ['parallel.max-workers', '4'],
        ['limits.attempts', '2'],
        ['agents.mine.command', '["mine", "-p"]'],
        ['agents.mine.env.A', 'b,c'],
        ['gates.commands', ''],
        ['gates.resources.db', '2'],
        ['gates.uses.db', '["a,b"]'],
        ['landing.merge.regenerate.web/package-lock.json', 'npm i'],
        ["landing.merge.regenerate.'go.sum'", 'go mod tidy'],
      ]),
    );
    expect(layer.problems).toEqual([]);
    expect(plain(layer)).toEqual({
      'parallel.max_workers': 4,
      'limits.attempts': 2,
      'agents.mine.command': ['mine', '-p'],
      'agents.mine.env.A': 'b,c',
      'gates.commands': [],
      'gates.resources.db': 2,
      'gates.uses.db': ['a,b'],
      'landing.merge.regenerate."web/package-lock.json"': 'npm i',
      'landing.merge.regenerate."go.sum"': 'go mod tidy',
    });
  });

  it('says what is wrong with each flag', () => {
    const layer = readFlagLayer(
      new Map([
        ['parallel.max_wokers', '4'],
        ['parallel', '4'],
        ['parallel.enabled', 'maybe'],
        ['limits.free_mb', '1'],
        ['limits.free-mb', '2'],
      ]),
    );
    expect(lines(layer)).toEqual([
      '--set parallel.max_wokers unknown key `parallel.max_wokers`, did you mean `max_workers`?',
      '--set parallel `parallel` is a table; name one key in it',
      '--set parallel.enabled `parallel.enabled` must be true or false, not "maybe"',
      '--set limits.free-mb sets `limits.free_mb` a second time; keep one',
    ]);
    expect(plain(layer)).toEqual({ 'limits.free_mb': 1 });
  });
});
