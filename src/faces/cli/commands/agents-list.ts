import { EXIT } from '../../../core/model/errors.ts';
import type { AgentSight } from '../../../world/agents/agent-check.ts';
import { lookAtAgents } from '../../../world/agents/agent-check.ts';
import type { Handler } from '../../call/handler.ts';
import { columns } from '../../call/output.ts';
import { openProject, readState } from '../../call/project.ts';
import { SET_AGENT } from '../../../world/agents/choose-agent.ts';
import { localTime } from '../../../world/os/clock.ts';

export const handle: Handler = async (call) => {
  const { repo, config } = await openProject(call);
  const { settings } = config;
  const sights = await lookAtAgents({ settings, state: await readState(repo), env: call.env, root: repo.root });
  if (call.flags['json'] === true) call.out.json({ version: 1, agents: sights.map(inJson) });
  else
    call.out.data(
      columns([['', 'agent', 'driver', 'version', 'account', 'program'], ...sights.map(row)], call.out.width),
    );
  if (!sights.some((sight) => sight.path !== null))
    call.out.say(`none is installed; any command will do: ${SET_AGENT}`);
  return EXIT.ok;
};

const row = (sight: AgentSight): readonly string[] => [
  sight.isChosen ? '*' : '',
  sight.name,
  sight.settings.driver,
  sight.version ?? '-',
  sight.hold === null ? sight.settings.account : `${sight.settings.account} (held ${until(sight.hold.untilMs)})`,
  sight.path ?? (sight.isDenied ? 'not executable' : 'not installed'),
];

const until = (ms: number | null): string => (ms === null ? 'for a person' : `until ${localTime(ms)}`);

const inJson = (sight: AgentSight): object => ({
  name: sight.name,
  driver: sight.settings.driver,
  command: sight.settings.command,
  model: sight.settings.model,
  path: sight.path,
  installed: sight.path !== null,
  version: sight.version,
  account: sight.settings.account,
  chosen: sight.isChosen,
  hold: sight.hold === null ? null : { kind: sight.hold.kind, until: sight.hold.untilMs, detail: sight.hold.detail },
});
