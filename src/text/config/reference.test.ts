import { describe, expect, it } from 'vitest';
import { KEYS } from './keys.ts';
import { configJsonSchema, configReference, configTemplate } from './reference.ts';
import { settle } from './settle.ts';
import { readTomlLayer } from './toml-layer.ts';

const NOTHING = { tasks: null, agent: null, gates: [] };

describe('configTemplate', () => {
  it('is valid and settles on the defaults when nothing was found', () => {
    const layer = readTomlLayer('repo', 'ralph.toml', configTemplate(NOTHING));
    expect(layer.problems).toEqual([]);
    expect(settle([layer]).settings).toEqual(settle([]).settings);
  });

  it('shows every key: with its comments opened it still is valid and sets them all', () => {
    const opened = configTemplate(NOTHING).replaceAll(/^# (?=\[|[a-z_]+ = |"[^"]+" = )/gm, '');
    const layer = readTomlLayer('repo', 'ralph.toml', opened);
    expect(layer.problems).toEqual([]);
    const set = [...layer.values.keys()].map((path) =>
      path
        .replace('agents.mine', 'agents.*')
        .replace(/env\..*/, 'env.*')
        .replace(/^(gates\.(?:resources|uses)|landing\.merge\.regenerate)\..*/, '$1.*'),
    );
    expect(set.toSorted()).toEqual(KEYS.map(({ path }) => path).toSorted());
  });

  it('sets what was found', () => {
    const text = configTemplate({
      tasks: 'docs/PRD.md',
      agent: 'mine',
      gates: ['npm test', 'a "b"'],
    });
    const { settings, problems } = settle([readTomlLayer('repo', 'ralph.toml', text)]);
    expect(problems).toEqual([]);
    expect([settings.tasks, settings.agent, settings.gates.commands]).toEqual([
      'docs/PRD.md',
      'mine',
      ['npm test', 'a "b"'],
    ]);
    expect(settings.agents).toEqual({});
  });

  it('starts with the schema and holds the parallel tables as they were specified', () => {
    const text = configTemplate(NOTHING);
    expect(text.split('\n')[0]).toBe('#:schema ./node_modules/paralph/schema/ralph.schema.json');
    expect(text).toContain(
      '\n[parallel]\nenabled = false              # opt-in\nmax_workers = 3              # concurrent agents\n',
    );
    expect(text).toContain(
      '\n[parallel.conflict_resolution]\nstrategy = "requeue"         # requeue|ai_resolve|stop\n',
    );
  });
});

describe('configReference', () => {
  it('has a row for every key', () => {
    const rows = configReference().trim().split('\n');
    expect(rows).toHaveLength(KEYS.length + 2);
    expect(new Set(rows.map((row) => row.split(/(?<!\\)\|/).length))).toEqual(new Set([7]));
    expect(rows).toContain(
      '| `landing.merge.regenerate."PATH"` | shell command | unset | none | Command that makes this file anew when it conflicts. |',
    );
    expect(rows).toContain(
      '| `limits.iterations` | whole number, 1 to 1000000 | `10` | `RALPH_LIMITS_ITERATIONS` | Most iterations in one loop. |',
    );
  });
});

describe('configJsonSchema', () => {
  const at = (path: readonly string[]): Record<string, unknown> => {
    let schema = configJsonSchema() as Record<string, unknown>;
    for (const part of path) {
      const properties = schema['properties'] as Record<string, unknown> | undefined;
      schema = (properties?.[part] ?? schema['additionalProperties']) as Record<string, unknown>;
    }
    return schema;
  };

  it('describes every key and nothing else', () => {
    for (const key of KEYS) {
      const path = key.path.split('.');
      expect(at(path)['description'], key.path).toBe(key.about);
      if (key.fallback !== null) expect(at(path)['default']).toEqual(key.fallback);
    }
    expect(at([])['additionalProperties']).toBe(false);
    expect(at(['parallel', 'conflict_resolution'])['additionalProperties']).toBe(false);
    expect(at(['agents', 'x'])['additionalProperties']).toBe(false);
  });

  it('says what is allowed', () => {
    expect(at(['parallel', 'max_workers'])).toMatchObject({ type: 'integer', minimum: 1, maximum: 256 });
    expect(at(['parallel', 'merge_policy'])['enum']).toEqual(['manual', 'auto_merge', 'pr']);
    expect(at(['agents', 'x', 'command'])).toMatchObject({ type: 'array', minItems: 1 });
    expect(at(['landing', 'gate_slots'])['anyOf']).toEqual([
      { type: 'string', enum: ['auto'] },
      { type: 'integer', minimum: 1, maximum: 16 },
    ]);
    expect(at(['gates', 'timeout'])['anyOf']).toHaveLength(3);
    expect(at(['gates', 'resources', 'db'])).toMatchObject({ type: 'integer', minimum: 1 });
    expect(at(['landing', 'merge', 'regenerate'])['propertyNames']).toEqual({
      pattern: expect.stringMatching(/^\^/) as string,
    });
    expect((configJsonSchema() as { $schema: string }).$schema).toBe('http://json-schema.org/draft-07/schema#');
  });
});

describe('what the reference tells of strategies', () => {
  it('trip 20: tasks of one group run one after the other under queue too', () => {
    expect(configReference()).toMatch(/`parallel\.strategy`.*queue: .*tasks of one group one after the other/);
  });
});
