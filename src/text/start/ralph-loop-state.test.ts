import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { iterationsLeft, readRalphLoop } from './ralph-loop-state.ts';
import type { RalphLoopState } from './ralph-loop-state.ts';

const file = (prompt: string, fields = 'iteration: 7\nmax_iterations: 50\ncompletion_promise: "DONE"\n'): string =>
  `---\nactive: true\n${fields}started_at: "2026-01-05T10:30:00Z"\n---\n\n${prompt}\n`;

function stateOf(text: string): RalphLoopState {
  const read = readRalphLoop(text);
  if ('problem' in read) throw new Error(`${read.problem.line}: ${read.problem.message}`);
  return read.state;
}

describe('a state file of ralph-loop', () => {
  it('is read', () => {
    expect(
      stateOf(file('Make it so', 'iteration: 7\nsession_id: abc\nmax_iterations: 50\ncompletion_promise: "DONE"\n')),
    ).toEqual({
      isActive: true,
      iteration: 7,
      sessionId: 'abc',
      maxIterations: 50,
      completionPromise: 'DONE',
      startedAt: '2026-01-05T10:30:00Z',
      prompt: 'Make it so',
    });
  });

  it('scenario 35: the prompt comes back to the byte, whatever is in it', () => {
    const odd = '---\niteration: 99\n---\n\nactive: false\n--- \n"$(touch x)" `y`\r\n---';
    expect(stateOf(file(odd)).prompt).toBe(odd);
    expect(stateOf(file(odd)).iteration).toBe(7);
    expect(stateOf(file('\n  indented\n \n')).prompt).toBe('\n  indented\n \n');
    const piece = fc.constantFrom('---', '\n', 'iteration: 3', ' ', '\r\n', '`$(x)`', "'", '"', 'ä', '\t', 'word');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        // A text of its own first: our own line break is the only one that is taken away.
        const prompt = `a${pieces.join('')}b`;
        expect(stateOf(file(prompt)).prompt).toBe(prompt);
      }),
    );
  });

  it('may lack what older ones lack, and have no end', () => {
    const state = stateOf('---\niteration: 1\nmax_iterations: 0\ncompletion_promise: null\nsession_id:\n---\nGo on');
    expect(state).toMatchObject({ isActive: true, maxIterations: null, completionPromise: null, sessionId: null });
    expect(iterationsLeft(state)).toBeNull();
    expect(stateOf('---\nactive: false\niteration: 1\n---\n\nx').isActive).toBe(false);
    const last = (iteration: number) => stateOf(file('x', `iteration: ${iteration}\nmax_iterations: 4\n`)).isActive;
    expect([last(4), last(5)]).toEqual([true, false]);
  });

  it('tells whose it is, also where the rest cannot be read', () => {
    const featureOf = (fields: string): string | null => readRalphLoop(file('x', fields)).feature;
    expect(featureOf('iteration: 1\nfeature_name: auth\n')).toBe('auth');
    expect(featureOf('feature_name: "auth 2"\n')).toBe('auth 2');
    expect(featureOf('iteration: 1\nfeature_name: null\n')).toBeNull();
  });

  it('tells how much is left', () => {
    expect(iterationsLeft(stateOf(file('x')))).toBe(44);
    expect(iterationsLeft(stateOf(file('x', 'iteration: 60\nmax_iterations: 50\n')))).toBe(1);
  });

  it.each([
    ['no front matter', 'Make it so', 1],
    ['an open front matter', '---\niteration: 1\nMake it so', 1],
    ['no iteration', '---\nactive: true\n---\n\nx', 1],
    ['a word for a number', '---\nactive: true\niteration: many\n---\n\nx', 3],
    ['a bad maximum', '---\niteration: 1\nmax_iterations: -1\n---\n\nx', 3],
    ['no prompt', '---\niteration: 1\n---\n\n\n', 4],
    ['nothing at all', '', 1],
  ])('with %s is told to be broken', (_, text, line) => {
    expect(readRalphLoop(text)).toMatchObject({ problem: { line, message: expect.any(String) as string } });
  });
});
