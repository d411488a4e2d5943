import { describe, expect, it } from 'vitest';
import { keyPart } from './dotted.ts';
import { findKey } from './find-key.ts';
import { KEYS } from './keys.ts';

const messageFor = (path: string): string => {
  const found = findKey(path.split('.'));
  return found.kind === 'unknown' ? found.message : `found ${found.kind}`;
};

describe('findKey', () => {
  it('finds every key of the table by its own path and with hyphens', () => {
    for (const key of KEYS) {
      const path = key.path.replaceAll('*', 'NAME');
      expect(findKey(path.split('.'))).toEqual({ kind: 'key', key, dotted: path });
      if (!path.includes('NAME')) expect(findKey(path.replaceAll('_', '-').split('.'))).toMatchObject({ dotted: path });
    }
  });

  it('keeps names the user chose as they are', () => {
    expect(findKey(['agents', 'my-agent', 'pass-env'])).toMatchObject({ dotted: 'agents.my-agent.pass_env' });
    expect(findKey(['agents', 'a', 'env', 'MY_VAR'])).toMatchObject({ dotted: 'agents.a.env.MY_VAR' });
  });

  it.each(['package-lock.json', 'web/yarn.lock', '.a', '..a/b', '...', 'a b/ü.x', 'a/.b/...c', "it's"])(
    'takes the path %j as a file to make anew, in quotes where it needs them',
    (path) => {
      const found = findKey(['landing', 'merge', 'regenerate', path]);
      expect(found).toMatchObject({ kind: 'key', dotted: `landing.merge.regenerate.${keyPart(path)}` });
    },
  );

  it.each(['/a', '..', '../a', 'a/../b', 'a/..', '.', './a', 'a//b', 'a/', '', 'a\\b', 'a\nb', '*.lock', 'a?'])(
    'refuses the path %j',
    (path) => {
      const found = findKey(['landing', 'merge', 'regenerate', path]);
      expect(found).toMatchObject({ kind: 'unknown', message: expect.stringContaining('inside the repository') });
    },
  );

  it('knows tables from keys', () => {
    expect(findKey(['parallel', 'conflict-resolution'])).toEqual({
      kind: 'table',
      dotted: 'parallel.conflict_resolution',
    });
    expect(findKey(['agents', 'x'])).toEqual({ kind: 'table', dotted: 'agents.x' });
  });

  it.each([
    ['parallel.merge_polcy', 'unknown key `parallel.merge_polcy`, did you mean `merge_policy`?'],
    ['paralel.enabled', 'unknown key `paralel`, did you mean `parallel`?'],
    ['max_workers', 'unknown key `max_workers`: `max_workers` belongs in [parallel]'],
    ['limits.timeout', 'unknown key `limits.timeout`: `timeout` belongs in [gates]'],
    [
      'landing.strategy',
      'unknown key `landing.strategy`: `strategy` belongs in [parallel] or in [parallel.conflict_resolution]',
    ],
    ['parallel.iterations', 'unknown key `parallel.iterations`: `iterations` belongs in [limits] or in [project]'],
    ['gates.agent', 'unknown key `gates.agent`: `agent` belongs at the top, before the first table'],
    ['max_wokers', 'unknown key `max_wokers`, did you mean `max_workers` in [parallel]?'],
    ['gates.colour', 'unknown key `gates.colour`; known here: commands, timeout, pass_env, base, resources, uses'],
    [
      'limits.colour',
      'unknown key `limits.colour`; known here: iterations, runtime, no_progress, attempts, consecutive_failures, grace, max_cost, max_tokens, free_mb',
    ],
    ['agent.command', '`agent` is a single value, not a table, did you mean `agents`?'],
    [
      '__proto__.x',
      'unknown key `__proto__`; known here: tasks, agent, fallback, completion_promise, completion_signal, completion_file, auto_spawn_strategy, plans, parallel, gates, agents, tracker, limits, run, project, prompt, landing, notify, report, forge, keep, worktree',
    ],
    ['agents.-rf.command', '"-rf" cannot be an agent name: use letters, digits, _ and -'],
    ['agents.a.env.9X', '"9X" cannot be a variable name: use letters, digits and _, not starting with a digit'],
    [
      'gates.\u001B[31m',
      'unknown key `gates.\\u001b[31m`; known here: commands, timeout, pass_env, base, resources, uses',
    ],
    ['gates.resources.a b', '"a b" cannot be the name of a resource: use letters, digits, _ and -'],
    ['landing.union', 'unknown key `landing.union`: `union` belongs in [landing.merge]'],
    ['gates.resource.db', 'unknown key `gates.resource`, did you mean `resources`?'],
  ])('explains %j', (path, message) => {
    expect(messageFor(path)).toBe(message);
  });
});
