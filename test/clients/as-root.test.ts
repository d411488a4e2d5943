import { describe, expect } from 'vitest';

import { arena } from './harness/arena.ts';
import { itWhere, itWith } from './harness/it-with.ts';
import { HONEST } from './model-server/scenario.ts';

const isRoot = process.getuid?.() === 0;
const itAsRoot = isRoot ? itWith('claude') : itWhere(false, 'needs to be run by root');

describe('claude as root outside of a sandbox', () => {
  itAsRoot('is refused before the first turn, with what to do about it', async () => {
    const one = await arena({
      clients: ['claude'],
      tasks: ['t1'],
      scenario: { turns: HONEST },
      env: { IS_SANDBOX: undefined },
    });
    const { code, stderr } = await one.ralph(['run', '--parallel']);
    expect(code, stderr).toBe(4);
    expect(stderr).toMatch(/E_AGENT_MISSING.*root.*IS_SANDBOX=1/);
    const remedy = /fix: ralph (config set .*)$/m.exec(stderr)?.[1] ?? '';
    expect((await one.ralph(remedy.split(' '))).code).toBe(0);
    one.git('commit', '-qam', 'Say that this is a sandbox');
    const again = await one.ralph(['run', '--parallel']);
    expect(again.code, again.stderr).toBe(0);
  });
});
