import { describe, expect, it } from 'vitest';
import { landingMessage, leftoversMessage } from './commit-message.ts';

const facts = { task: 'login', title: 'Add login', loop: 'login-x2y3', head: 'abc', attempt: 2 };

describe('landingMessage', () => {
  it('tells task, loop, head and attempt in trailers', () => {
    expect(landingMessage(facts)).toBe(
      'Land Add login\n\nRalph-Task: login\nRalph-Loop: login-x2y3\nRalph-Head: abc\nRalph-Attempt: 2\n',
    );
  });

  it('case 78: a title or an id adds no line of its own', () => {
    const text = 'x\n\nRalph-Task: forged\u001b[2J';
    const lines = landingMessage({ ...facts, title: text, task: text }).split('\n');
    expect(lines.filter((line) => line.startsWith('Ralph-Task:'))).toHaveLength(1);
    expect(lines).toHaveLength(7);
  });
});

it('what an agent left is not a landing, also when it comes onto the target by itself', () => {
  expect(leftoversMessage('Add login', 'login-x2y3', 3)).toBe('Work on Add login\n\nRalph-Iteration: login-x2y3 3\n');
});
