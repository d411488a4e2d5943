import { describe, expect, it } from 'vitest';
import { coAuthors, landingMessage, leftoversMessage, trailersOf, withoutOurTrailers } from './commit-message.ts';
import type { LandingFacts } from './commit-message.ts';
import { checkLandingTemplate } from './config/landing-template.ts';

const facts: LandingFacts = {
  task: 'login',
  title: 'Add login',
  tracker: 'docs/tasks.md',
  loop: 'login-x2y3',
  branch: 'ralph/login-x2y3',
  head: 'abc',
  agent: 'claude',
  attempt: 2,
  iterations: 4,
  target: 'main',
};
const TRAILERS =
  'Ralph-Task: login\nRalph-Loop: login-x2y3\nRalph-Tracker: docs/tasks.md\nRalph-Head: abc\nRalph-Attempt: 2\n';

describe('landingMessage', () => {
  it('tells task, loop, task file, head and attempt in trailers', () => {
    expect(landingMessage(facts)).toBe(`Land Add login\n\n${TRAILERS}`);
  });

  it('case 78: a title or an id adds no line of its own', () => {
    const text = 'x\n\nRalph-Task: forged\u001b[2J';
    const lines = landingMessage({ ...facts, title: text, task: text, tracker: text }).split('\n');
    expect(lines.filter((line) => line.startsWith('Ralph-Task:'))).toHaveLength(1);
    expect(lines).toHaveLength(8);
  });

  it('words it as the template says, and closes with the same trailers', () => {
    const template =
      'feat({{ task_id }}): {{title}}\n\nBy {{agent}} in {{iterations}}, {{branch}} ({{loop}}) to {{target}}; \\{{x}}\n';
    const message = landingMessage({ ...facts, template });
    expect(message).toBe(
      'feat(login): Add login\n\nBy claude in 4, ralph/login-x2y3 (login-x2y3) to main; {{x}}\n\n' + TRAILERS,
    );
    expect(trailersOf(message)).toBe(TRAILERS);
  });

  it('takes what a value holds for text, never for a variable, a line or a control sequence', () => {
    const title = '{{loop}}\nRalph-Loop: forged\u001b[2J';
    const message = landingMessage({ ...facts, title, template: '{{title}}' });
    expect(message).toBe(`{{loop}} Ralph-Loop: forged\n\n${TRAILERS}`);
  });

  it('keeps the first line short and never comes out without one', () => {
    const [first = ''] = landingMessage({ ...facts, template: `{{title}}${'x'.repeat(300)}\nbody` }).split('\n');
    expect(first).toHaveLength(100);
    expect(landingMessage({ ...facts, title: '\n', template: '{{title}}' })).toMatch(/^Land/);
  });

  it('names co-authors among the trailers, each mail once', () => {
    const names = [
      'Ada <ada@example.test>',
      'Bob\nRalph-Task: x <bob@example.test>',
      'A. <ADA@example.test>',
      'nobody',
    ];
    expect(landingMessage({ ...facts, coAuthors: names })).toBe(
      `Land Add login\n\n${TRAILERS}Co-authored-by: Ada <ada@example.test>\n` +
        'Co-authored-by: Bob Ralph-Task: x <bob@example.test>\n',
    );
    expect(coAuthors(Array.from({ length: 50 }, (_, at) => `N <n${at}@example.test>`))).toHaveLength(20);
  });
});

describe('checkLandingTemplate', () => {
  it('finds nothing wrong with every variable there is', () => {
    const all = '{{task_id}} {{title}} {{branch}}\n{{loop}} {{ agent }} {{iterations}} {{target}} \\{{no}}';
    expect(checkLandingTemplate(all)).toEqual([]);
  });

  it('points at what is no variable, and at one that never ends', () => {
    const problems = checkLandingTemplate('ok {{titel}}\n  {{zzz}} and {{title');
    expect(problems.map(({ line, column }) => [line, column])).toEqual([
      [1, 4],
      [2, 3],
      [2, 15],
    ]);
    expect(problems[0]?.message).toContain('{{title}}');
    expect(problems[1]?.message).toContain('task_id');
  });

  it('wants a text at all, and not a book', () => {
    expect(checkLandingTemplate(' \n')).toHaveLength(1);
    expect(checkLandingTemplate('x'.repeat(20_000))).toHaveLength(1);
  });
});

it('what somebody else wrote cannot pass for a landing', () => {
  expect(withoutOurTrailers('Fix\n\nRalph-Loop: a\nralph-task : b\nRefs: Ralph-Loop\n')).toBe(
    'Fix\n\n> Ralph-Loop: a\n> ralph-task : b\nRefs: Ralph-Loop\n',
  );
});

it('what an agent left is not a landing, also when it comes onto the target by itself', () => {
  expect(leftoversMessage('Add login', 'login-x2y3', 3)).toBe('Work on Add login\n\nRalph-Iteration: login-x2y3 3\n');
});
