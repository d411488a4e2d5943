import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../forge/github-types.ts';
import { HONEST, starts, writeScenario } from '../harness/project.ts';
import { beside } from '../harness/ralph.ts';
import { until } from '../harness/until.ts';
import { forgeProject } from './project.ts';

const RESET_S = 3;
const ANY = /./;

/** What may go wrong with every request for a while. */
const TROUBLE: Readonly<Record<string, () => Omit<Fault, 'times' | 'method' | 'path'>>> = {
  'the hour is used up (403)': () => ({
    how: 403,
    message: 'API rate limit exceeded for user ID 1.',
    headers: () => ({
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + RESET_S),
    }),
  }),
  'too many at once (403)': () => ({
    how: 403,
    message: 'You have exceeded a secondary rate limit.',
    headers: () => ({ 'retry-after': String(RESET_S) }),
  }),
  'too many at once (429)': () => ({ how: 429, headers: () => ({ 'retry-after': String(RESET_S) }) }),
  'not allowed (403)': () => ({ how: 403, message: 'Resource not accessible by personal access token' }),
  'not there (404)': () => ({ how: 404, message: 'Not Found' }),
  'not valid (422)': () => ({ how: 422, message: 'Validation Failed' }),
  'out of order (502)': () => ({ how: 502, message: 'Bad Gateway' }),
  'cut off': () => ({ how: 'cut' }),
  slow: () => ({ how: 'slow' }),
};

describe('a forge in trouble', () => {
  it.each(Object.entries(TROUBLE))('A19.3 %s: loops go on, and nothing is lost', async (what, fault) => {
    const { forge, place, run } = await forgeProject({ tasks: ['a', 'b'] });
    // Who is told to wait does not ask again at once; all else is tried a few times.
    const times = fault().headers === undefined ? 3 : 1;
    for (const method of ['GET', 'POST']) forge.faults.push({ method, path: ANY, times, ...fault() });
    const ran = await run(['run']);
    expect({ code: ran.code, err: ran.stderr }).toMatchObject({ code: 0 });
    expect(starts(place)).toHaveLength(2);
    if (what !== 'slow') expect(ran.stderr).toContain('pull requests wait; loops continue');
    expect(ran.stderr).not.toContain('octo-token');
    await until('both to be opened', async () => {
      const synced = await run(['pr', 'sync']);
      expect({ code: synced.code, err: synced.stderr }).toMatchObject({ code: 0 });
      return forge.pulls.length === 2;
    });
    expect(starts(place)).toHaveLength(2);
    expect(new Set(forge.pulls.map(({ branch }) => branch)).size).toBe(2);
  });

  it('A19.3 gone while agents work: their work waits, and becomes one pull request each', async () => {
    const { forge, place, run, start } = await forgeProject({ tasks: ['a', 'b'] });
    writeScenario(place, { agent: [{ waitForFile: { path: beside(place, 'go') } }, ...HONEST] });
    const host = start(['run']);
    await until('an agent at work', () => starts(place).length > 0);
    await forge.stop();
    writeFileSync(beside(place, 'go'), '');
    const { code, stderr } = await host.ended;
    expect({ code, err: stderr }).toMatchObject({ code: 0 });
    expect(starts(place)).toHaveLength(2);
    expect(forge.pulls).toEqual([]);
    await forge.start();
    const synced = await run(['pr', 'sync']);
    expect({ code: synced.code, err: synced.stderr }).toMatchObject({ code: 0 });
    expect(forge.pulls).toHaveLength(2);
  });
});
