import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, EXIT } from '../../../core/errors.ts';
import { configTemplate } from '../../../text/config/reference.ts';
import { TRACKER_NAMES } from '../../../text/trackers/tracker-names.ts';
import { installedAgents } from '../../../world/choose-agent.ts';
import { findRepository } from '../../../world/git/repository.ts';
import type { Handler } from '../handler.ts';
import { refuseInLoop } from '../refuse-in-loop.ts';

/** Looks around, writes what it found into a commented file, and says what to do next. */
export const handle: Handler = async (call) => {
  refuseInLoop(call, 'init');
  const { root } = findRepository(call.cwd);
  const existing = ['ralph.toml', '.ralph/ralph.toml'].find((name) => existsSync(join(root, name)));
  if (existing !== undefined)
    throw new AppError('E_CONFIG_EXISTS', `${existing} is already there; nothing was changed`, {
      remedy: 'ralph config check',
    });
  const tasks = TRACKER_NAMES.find((name) => existsSync(join(root, name))) ?? null;
  const [agent = null] = installedAgents(call.env, root);
  const gates = findGates(root);
  writeFileSync(join(root, 'ralph.toml'), configTemplate({ tasks, agent, gates }), { flag: 'wx' });
  if (call.flags['json'] === true) call.out.json({ version: 1, file: 'ralph.toml', tasks, agent, gates });
  call.out.say('wrote ralph.toml');
  call.out.say(
    tasks === null
      ? `no task file yet. next: printf -- '## Tasks\\n\\n- [ ] First task\\n' > PRD.md`
      : `tasks: ${tasks}`,
  );
  call.out.say(
    agent === null ? 'no agent found. next: set agent and [agents.NAME] command in ralph.toml' : `agent: ${agent}`,
  );
  call.out.say(
    gates.length === 0
      ? `no gates found. next: ralph config set gates.commands '["your test command"]'`
      : `gates: ${gates.join(', ')}`,
  );
  call.out.say('next: git add ralph.toml && git commit -m "Add ralph.toml"');
  call.out.say('next: ralph run --parallel --max-workers 3 --dry-run');
  return EXIT.ok;
};

/** The project's own test command, where its kind is known. */
function findGates(root: string): readonly string[] {
  const has = (name: string): boolean => existsSync(join(root, name));
  if (has('package.json')) return npmTest(join(root, 'package.json'));
  if (has('Cargo.toml')) return ['cargo test'];
  if (has('go.mod')) return ['go test ./...'];
  if (has('Makefile') && /^test:/m.test(readFileSync(join(root, 'Makefile'), 'utf8'))) return ['make test'];
  if (has('pyproject.toml') || has('pytest.ini')) return ['python3 -m pytest'];
  return [];
}

function npmTest(file: string): readonly string[] {
  try {
    const { scripts } = JSON.parse(readFileSync(file, 'utf8')) as { scripts?: Record<string, unknown> };
    return typeof scripts?.['test'] === 'string' && !scripts['test'].includes('no test specified') ? ['npm test'] : [];
  } catch {
    return [];
  }
}
