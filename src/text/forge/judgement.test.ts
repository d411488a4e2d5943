import { describe, expect, it } from 'vitest';
import { judgePrompt, readJudgement } from './judgement.ts';

const FACTS = {
  task: 'a',
  title: 'Make a',
  body: 'Some ``` ticks',
  acceptance: ['it works'],
  target: 'main',
  base: 'b'.repeat(40),
  head: 'a'.repeat(40),
};

describe('the verdict of a reviewing agent', () => {
  it.each([
    ['<review>APPROVE</review>', 'approved'],
    ['All is well.\n\n**<review>APPROVE</review>**\n', 'approved'],
    ['Rename it.\n<review>CHANGES</review>', 'changes'],
    ['<review>CHANGES</review>', 'silent'],
    ['', 'silent'],
    ['I would say <review>APPROVE</review>', 'silent'],
    ['<review>APPROVE</review>\nbut read it once more', 'silent'],
    ['<review>APPROVE|CHANGES</review>', 'silent'],
    ['APPROVE', 'silent'],
  ])('%j is %s', (said, verdict) => {
    expect(readJudgement(said).verdict).toBe(verdict);
  });

  it('is asked for with what a project tells its reviewer, and with what was asked as data', () => {
    expect(judgePrompt(FACTS, null)).toContain('# Review a pull request');
    const own = judgePrompt(FACTS, 'Be strict.\n');
    expect(own).toMatch(/^Be strict\.\n/);
    expect(own).toContain('````text\nMake a\nSome ``` ticks\n- it works\n````');
  });
});
