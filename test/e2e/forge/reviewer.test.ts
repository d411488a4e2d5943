import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Step } from '../../scripted/scenario.ts';
import { writeScenario } from '../harness/project.ts';
import { beside } from '../harness/ralph.ts';
import { forgeProject } from './project.ts';
import type { ForgeProject } from './project.ts';

const FILES = { '.claude/agents/merger.md': 'Be strict about $TASK_ID.\n' };

/** A pull request that only a review is missing for, and what the reviewing agent does. */
async function reviewed(steps: readonly Step[]): Promise<ForgeProject> {
  const one = await forgeProject({ tasks: ['a'], files: FILES });
  await one.run(['run']);
  const [pull] = one.forge.pulls;
  if (pull === undefined) throw new Error('there is none');
  one.forge.setCheck(one.forge.headOf(pull), 'ci', 'success');
  writeScenario(one.place, { agent: steps });
  return one;
}

const waits = async ({ run }: ForgeProject): Promise<string> => {
  const ran = await run(['merger', '--json']);
  expect(ran.stderr).not.toContain('Error');
  return (JSON.parse(ran.stdout) as { waiting: { waits: string }[] }).waiting[0]?.waits ?? '';
};

describe('an agent that reviews', () => {
  it('approves, by the words the project tells it, and its head is merged', async () => {
    const one = await reviewed([]);
    writeScenario(one.place, {
      agent: [{ prompt: { path: beside(one.place, 'told') } }, { print: 'Well done.\n<review>APPROVE</review>\n' }],
    });
    const merger = await one.run(['merger']);
    expect({ code: merger.code, err: merger.stderr }).toMatchObject({ code: 0 });
    expect(one.forge.pulls[0]?.merged).not.toBeNull();
    const told = readFileSync(beside(one.place, 'told'), 'utf8');
    expect(told).toMatch(/^Be strict about a\.\n/);
    expect(told).toContain('git diff ');
    expect(told).not.toContain('octo-token');
  });

  it('wants changes: they go to the loop, and nothing is merged', async () => {
    const one = await reviewed([{ print: 'Call it gadget.\n<review>CHANGES</review>\n' }]);
    const merger = await one.run(['merger']);
    expect({ code: merger.code, err: merger.stderr }).toMatchObject({ code: 0 });
    expect(one.forge.pulls[0]?.merged).toBeNull();
    writeScenario(one.place, {
      agent: [
        { prompt: { path: beside(one.place, 'told') } },
        { write: { path: 'a.txt', text: 'gadget\n' } },
        { claim: true },
      ],
    });
    const mended = await one.run(['run']);
    expect({ code: mended.code, err: mended.stderr }).toMatchObject({ code: 0 });
    expect(readFileSync(beside(one.place, 'told'), 'utf8')).toContain('Call it gadget.');
  });

  it.each([
    ['fails', [{ print: '<review>APPROVE</review>\n' }, { exit: 1 }]],
    ['says nothing', [{ print: '\n' }]],
    ['is confused', [{ print: 'Either <review>APPROVE</review> or not.\n' }]],
  ] as const)('%s: that is no approval, and a person is asked', async (_how, steps) => {
    const one = await reviewed(steps);
    expect(await waits(one)).toBe('its reviewer gave no verdict; a person has to approve it');
    expect(one.forge.pulls[0]?.merged).toBeNull();
    one.forge.review(1, 'rev-token', 'APPROVED');
    await one.run(['merger']);
    expect(one.forge.pulls[0]?.merged).not.toBeNull();
  });
});
