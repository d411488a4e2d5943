import { join } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import { configTemplate } from '../../../text/config/reference.ts';
import { TRACKER_NAMES } from '../../../text/trackers/tracker-names.ts';
import { KNOWN_AGENTS } from '../../../text/agents/known.ts';
import { SET_AGENT, installedAgents } from '../../../world/agents/choose-agent.ts';
import { ourJustfile } from '../../../world/agents/run/agent-place.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import { findGates, firstThere, writeFirst } from '../../../world/start/first-look.ts';
import type { Handler } from '../../call/handler.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { FIRST_TASK } from '../../../world/trackers/find-tracker.ts';

/** Looks around, writes what it found into a commented file, and says what to do next. */
interface Made {
  readonly file: string;
  readonly tasks: string | null;
  readonly agent: string | null;
  readonly gates: readonly string[];
}

export const handle: Handler<Made> = async (call) => {
  refuseInLoop(call, 'init');
  if (call.flags['justfile'] === true) {
    return { data: null, text: ourJustfile().trimEnd() };
  }
  const { root } = findRepository(call.cwd);
  const existing = firstThere(root, ['ralph.toml', '.ralph/ralph.toml']);
  if (existing !== null)
    throw new AppError('E_CONFIG_EXISTS', `${existing} is already there; nothing was changed`, {
      remedy: 'ralph config check',
    });
  const tasks = firstThere(root, TRACKER_NAMES);
  const [agent = null] = installedAgents(call.env, root);
  const gates = findGates(root);
  writeFirst(join(root, 'ralph.toml'), configTemplate({ tasks, agent, gates }));
  call.out.say('wrote ralph.toml');
  call.out.say(tasks === null ? `no task file yet. next: ${FIRST_TASK}` : `tasks: ${tasks}`);
  call.out.say(
    agent === null
      ? `no agent found. next: install one (${[...KNOWN_AGENTS.keys()].join(', ')}), or ${SET_AGENT}`
      : `agent: ${agent}`,
  );
  call.out.say(
    gates.length === 0
      ? `no gates found. next: ralph config set gates.commands '["your test command"]'`
      : `gates: ${gates.join(', ')}`,
  );
  call.out.say('next: git add ralph.toml && git commit -m "Add ralph.toml"');
  call.out.say('next: ralph run --parallel --max-workers 3 --dry-run');
  return { data: { file: 'ralph.toml', tasks, agent, gates } };
};
