import { describe, expect, it } from 'vitest';
import type { StartOrder } from './start-prompt.ts';
import { openingWords, startPrompt } from './start-prompt.ts';

const ORDER: StartOrder = {
  workflow: 'plan-and-implement',
  feature: 'auth',
  plan: 'docs/plans/auth.md',
  text: 'People can log in',
  spec: null,
  workOn: [],
  skip: [],
};

describe('the prompt of a workflow', () => {
  it.each(['plan-only', 'implement-only', 'plan-and-implement'] as const)(
    '%s names the loop after the feature, and asks for no commit: the rules of a loop say that it is committed by us',
    (workflow) => {
      expect(startPrompt({ ...ORDER, workflow })).toMatch(/^# auth\n/);
      expect(startPrompt({ ...ORDER, workflow }).replace('Each step fits one commit', '')).not.toMatch(/commit/i);
    },
  );

  it('of a plan asks for the file and for nothing else', () => {
    const prompt = startPrompt({ ...ORDER, workflow: 'plan-only' });
    expect(prompt).toContain('Write the plan to `docs/plans/auth.md`');
    expect(prompt).toContain('Change nothing but the plan');
    expect(prompt).not.toContain('step by step');
    expect(prompt).not.toContain('## Bounds');
  });

  it('of an agent to talk to is the text, and the bounds before it', () => {
    expect(openingWords(null, ORDER)).toBeNull();
    expect(openingWords('Log $(people) in\n', ORDER)).toBe('Log $(people) in\n');
    expect(openingWords(null, { workOn: ['the form'], skip: [] })).toBe('## Bounds\n\n- Work only on this: the form');
    expect(openingWords('x', { workOn: [], skip: ['mail'] })).toBe('## Bounds\n\n- Leave this out: mail\n\nx');
  });

  it('of work names where the specification comes from', () => {
    const prompt = startPrompt({ ...ORDER, workflow: 'implement-only', spec: 'docs/spec.md' });
    expect(prompt).toContain('`docs/spec.md`');
    expect(prompt).not.toContain('docs/plans');
  });

  it('of both has both, and bounds where they are given', () => {
    const prompt = startPrompt({ ...ORDER, workOn: ['the form'], skip: ['mail', 'a $(touch x) `y`'] });
    expect(prompt).toContain('Write the plan to');
    expect(prompt).toContain('step by step');
    expect(prompt).toContain(
      '- Work only on this: the form\n- Leave this out: mail\n- Leave this out: a $(touch x) `y`',
    );
  });

  it.each(['plan-only', 'implement-only', 'plan-and-implement'] as const)(
    '%s ends with the text as it is',
    (workflow) => {
      const text = `{{task_id}} \`touch x\` $(touch x) "'\r\n---\n${'x'.repeat(200_000)}\n\n`;
      expect(startPrompt({ ...ORDER, workflow, text }).endsWith(`\n\n${text}`)).toBe(true);
    },
  );
});
