import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { createRandom } from '../../sim/model/random.ts';
import { project } from '../harness/project.ts';
import { beside } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import type { Act } from './acts.ts';
import { ACTS, GATE_ACTS, HONEST } from './acts.ts';

/** What a tree must be like; it speaks of nothing but the tree. */
export const TRUTH = 'sh gate.sh';

const GATE = `if grep -rqs BAD src; then echo 'BAD in src'; exit 1; fi
for need in needs/*; do
  test ! -e "$need" || test -e "build/\${need#needs/}" || { echo "no build for $need"; exit 1; }
done
`;

const HONEST_ACT: Act = { name: 'honest', script: HONEST };

export interface Workload {
  readonly tasks: readonly string[];
  /** What each task does first, and what the gates do. */
  readonly story: string;
  /** What is done after the run. */
  readonly after: readonly (readonly string[])[];
  readonly losesLog: boolean;
}

/** A repository in which agents and gates work against the proof, all of it from one number. */
export function makeWorkload(one: Scratch, seed: number): Workload {
  const random = createRandom(seed);
  const tasks = ['t1', 't2', 't3', 't4', 't5'].slice(0, random.between(2, 5));
  const chosen = tasks.map((task) => ({
    task,
    acts: random.chance(0.25) ? [HONEST_ACT] : Array.from({ length: random.between(1, 2) }, () => random.pick(ACTS)),
    isDetached: random.chance(0.15),
    isMended: random.chance(0.6),
  }));
  const gateActs = Array.from({ length: random.between(0, 2) }, () => random.pick(GATE_ACTS));
  const nasty = beside(one, 'after-gate.sh');
  const inRepo = `cd "$(dirname "$0")"; ROOT=$PWD; export ROOT; cd "$OLDPWD"`;
  writeFileSync(nasty, `${inRepo}; T=gate; exec 2> /dev/null\n${gateActs.map(quiet).join('\n')}\nexit 0\n`);
  writeFileSync(beside(one, 'agent.sh'), agentOf(inRepo, chosen));
  one.put('gate.sh', GATE);
  one.put('.gitignore', 'build/\n.git-index-*\n');
  one.put('src/main.txt', 'ok\n');
  project(one, {
    tasks,
    config: {
      agent: 'nasty',
      'agents.nasty': { command: ['sh', beside(one, 'agent.sh')] },
      gates: { commands: [TRUTH, `sh '${nasty}'`] },
      limits: { iterations: 3, runtime: '1m', grace: '1s', no_progress: 2 },
      landing: { publish: random.pick(['end', 'each', 'manual']), method: random.pick(['merge', 'squash', 'rebase']) },
    },
  });
  const after = Array.from({ length: random.between(0, 2) }, () =>
    random.pick([['publish'], ['land', '--all'], ['run']]),
  );
  return {
    tasks,
    story: [
      ...chosen.map(({ task, acts }) => `${task}: ${acts.map(({ name }) => name).join('+')}`),
      `gate: ${gateActs.length}`,
    ].join(', '),
    after,
    losesLog: random.chance(0.2),
  };
}

interface Chosen {
  readonly task: string;
  readonly acts: readonly { readonly script: string }[];
  readonly isDetached: boolean;
  readonly isMended: boolean;
}

/** What fails of it does not keep the rest from being done. */
const quiet = (script: string): string => `( set +e\n${script}\n)`;

function agentOf(prelude: string, chosen: readonly Chosen[]): string {
  const rows = chosen.map(({ task, acts, isDetached, isMended }) => {
    const done = acts.map(({ script }) => quiet(script)).join('\n');
    const first = isDetached ? `${done}\n( sleep 0.3; ${done}\n) < /dev/null > /dev/null 2>&1 &` : done;
    return `${task}) if [ "$RALPH_ITERATION" = 1 ]; then\n${first}\nelse\n${isMended ? quiet(HONEST) : ':'}\nfi;;`;
  });
  return `cat > /dev/null; ${prelude}; T=$RALPH_TASK_ID; exec 2> /dev/null
git config --get user.name > /dev/null || { export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b; }
case $T in\n${rows.join('\n')}\nesac
echo '<promise>COMPLETE</promise>'
`;
}

/** Everything we wrote down is gone, and so is what only our notes can tell from the user's own alternates. */
export function loseLog(one: Scratch): void {
  for (const name of ['paralph', 'objects/info/alternates'])
    rmSync(join(one.repo, '.git', name), { recursive: true, force: true });
}
