import { describe, expect, it } from 'vitest';
import { parseTracker } from './tracker.ts';

const WANTED = { story: 'S-1', epic: 'E-1', labels: ['ui', 'small'], agent: 'codex', model: 'gpt-5' };

describe('S0.5 what a task says of itself', () => {
  it.each([
    [
      'markdown',
      '- [ ] A <!-- story: S-1, epic: E-1 --> <!-- labels: ui, small --> <!-- agent: codex model: gpt-5 -->\n',
    ],
    ['markdown', '- [ ] A <!-- story: S-1; epic: E-1; label: ui, small, agent:codex, model:gpt-5 -->\n'],
    [
      'json',
      '[{"title": "A", "story": "S-1", "epic": "E-1", "labels": ["ui", "small", "agent:codex"], "model": "gpt-5"}]',
    ],
    ['yaml', '- title: A\n  story: S-1\n  epic: E-1\n  label: ui, small\n  agent: codex\n  model: gpt-5\n'],
    ['yaml', 'nodes:\n- {id: a, title: A, story: S-1, epic: E-1, labels: [ui, small], agent: codex, model: gpt-5}\n'],
  ] as const)('is read from %s', (kind, text) => {
    expect(parseTracker(kind, text)).toMatchObject({ tasks: [WANTED], problems: [] });
  });
});
