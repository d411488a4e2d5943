import { describe, expect, it } from 'vitest';
import { sha } from '../model/ids.ts';
import { EMPTY_STATE, VERDICTS_MAX } from '../model/model.ts';
import { recordVerdict, verdictOf } from './odds.ts';

describe('verdicts', () => {
  it('belong to exactly one tree and one set of gates; the newest counts', () => {
    const once = recordVerdict(EMPTY_STATE, 'g', sha('t'), 'green');
    expect(verdictOf(once, 'g', sha('t'))).toBe('green');
    expect(verdictOf(once, 'other', sha('t'))).toBeNull();
    expect(verdictOf(once, 'g', sha('other'))).toBeNull();
    const twice = recordVerdict(once, 'g', sha('t'), 'red');
    expect(verdictOf(twice, 'g', sha('t'))).toBe('red');
    expect(twice.verdicts).toHaveLength(1);
  });

  it('are bounded: the oldest go first', () => {
    let state = EMPTY_STATE;
    for (let tree = 0; tree <= VERDICTS_MAX; tree += 1) state = recordVerdict(state, 'g', sha(`t${tree}`), 'green');
    expect(state.verdicts).toHaveLength(VERDICTS_MAX);
    expect(verdictOf(state, 'g', sha('t0'))).toBeNull();
    expect(verdictOf(state, 'g', sha(`t${VERDICTS_MAX}`))).toBe('green');
  });
});
