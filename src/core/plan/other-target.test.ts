import { describe, expect, it } from 'vitest';
import { POLICY, task, tellTale } from '../../../test/sim/tale.ts';
import { AppError } from '../model/errors.ts';
import { hostId } from '../model/ids.ts';
import type { HostPolicy, State } from '../model/model.ts';
import { refuseOtherTarget } from './other-target.ts';

const RELEASE: HostPolicy = { ...POLICY, target: 'release' };

/** The remedy of the refusal; null: it may join. */
function refusal(state: State, policy: HostPolicy, isAlive = false): string | null {
  try {
    refuseOtherTarget(state, policy, () => isAlive);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.code).toBe('E_BUSY');
    return error.remedy;
  }
}

function oneHost() {
  const tale = tellTale();
  tale.join('h1');
  tale.read(task('a'), task('b'));
  return tale;
}

describe('a host for another branch', () => {
  it('does not join one that lives', () => {
    const state = oneHost().state();
    expect(refusal(state, RELEASE, true)).toBe('ralph loops stop');
    expect(refusal(state, POLICY, true)).toBeNull();
    expect(refusal(state, RELEASE)).toBeNull();
  });

  it('does not land what waits to land on the first', () => {
    const tale = oneHost();
    tale.ready('a');
    tale.write({ type: 'host-lost', host: hostId('h1') });
    const prompt: HostPolicy = { ...RELEASE, slots: 0, tracker: 'another.md' };
    expect(refusal(tale.state(), RELEASE)).toBe('ralph loops process --target main');
    expect(refusal(tale.state(), prompt)).toBe('ralph loops process --target main');
    expect(refusal(tale.state(), POLICY)).toBeNull();
  });

  it('does not go on with what was begun for the first', () => {
    const tale = oneHost();
    const loop = tale.begin('a');
    tale.write({ type: 'host-lost', host: hostId('h1') });
    expect(refusal(tale.state(), RELEASE)).toBe('ralph run --target main');
    expect(refusal(tale.state(), { ...RELEASE, tracker: 'another.md' })).toBeNull();
    expect(refusal(tale.state(), { ...RELEASE, slots: 0 })).toBeNull();
    expect(refusal(tale.state(), { ...RELEASE, only: loop })).toBeNull();
  });
});
