import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

import { describe, expect } from 'vitest';

import { itAllowed } from '../../needs.ts';
import { parseEvents } from '../harness/events.ts';
import { HONEST, project } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { allLanded, isHere, say, startsOf, wait } from '../harness/recovery.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';
import { watchRefs } from '../harness/values.ts';

const RUN = ['run', '--parallel', '--max-workers', '1', '--events'];
/** For both of them together. */
const WIDER = ['run', '--parallel', '--max-workers', '2', '--events'];
/** What a container does to process numbers. */
const CONTAINER = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
const isPossible = spawnSync(CONTAINER[0] ?? '', [...CONTAINER.slice(1), 'true']).status === 0;
const itInContainers = itAllowed('unshare --pid', isPossible);

describe('S1.9 hosts that cannot see each other', () => {
  itInContainers(
    'case 68: an owner in another pid namespace is never taken for dead while it lives, and is when it died',
    async () => {
      const one = scratch();
      const work = [say(one), wait(one, 'go-${task}'), ...HONEST];
      project(one, {
        tasks: ['inside', 'outside', 'after'],
        byTask: { inside: { iterations: [work, HONEST] }, outside: work },
      });
      watchRefs(one);
      const inside = startRalph(one, RUN, { prefix: CONTAINER });
      await until('the agent inside', () => isHere(one, 'inside'));
      const outside = startRalph(one, WIDER);
      await until('the agent outside', () => isHere(one, 'outside'));
      writeFileSync(beside(one, 'go-outside'), '');
      await outside.waitFor(/"type":"loop-landed"/);
      const lost = () => parseEvents(outside.output().stdout).filter(({ type }) => type === 'host-lost');
      expect(lost()).toEqual([]);
      expect(startsOf(one)).toMatchObject({ inside: 1, outside: 1 });
      inside.signal('SIGKILL');
      await inside.ended;
      const { code, stderr } = await outside.ended;
      expect(code, stderr).toBe(0);
      expect(lost()).toHaveLength(1);
      allLanded(one, ['inside', 'outside', 'after']);
      expect(startsOf(one)).toEqual({ inside: 2, outside: 1, after: 1 });
      expect((await ralph(one, ['status', '--json'])).code).toBe(0);
    },
  );
});
