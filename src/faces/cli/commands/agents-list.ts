import { isoMs } from '../../../core/model/describe-time.ts';
import type { Hold } from '../../../core/model/model.ts';
import type { AgentSight } from '../../../world/agents/agent-check.ts';
import { lookAtAgents } from '../../../world/agents/agent-check.ts';
import type { Handler } from '../../call/handler.ts';
import { columns } from '../../call/output.ts';
import { openProject, readState } from '../../call/project.ts';
import { SET_AGENT } from '../../../world/agents/choose-agent.ts';
import { localTime } from '../../../world/os/clock.ts';

export const handle: Handler<{ readonly agents: readonly ListedAgent[] }> = async (call) => {
  const { repo, config } = await openProject(call);
  const { settings } = config;
  const sights = await lookAtAgents({ settings, state: await readState(repo), env: call.env, root: repo.root });
  const isAny = sights.some((sight) => sight.path !== null);
  return {
    data: { agents: sights.map(listed) },
    text: columns([['', 'AGENT', 'DRIVER', 'VERSION', 'ACCOUNT', 'PROGRAM'], ...sights.map(row)], call.out.width),
    says: isAny ? [] : [`none is installed; any command will do: ${SET_AGENT}`],
  };
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

interface ListedAgent {
  readonly name: string;
  readonly driver: string;
  readonly command: readonly string[];
  readonly model: string | null;
  readonly path: string | null;
  readonly installed: boolean;
  readonly version: string | null;
  readonly account: string;
  readonly chosen: boolean;
  readonly hold: { readonly kind: string; readonly until: string | null; readonly detail: string } | null;
}

const heldView = ({ kind, untilMs, detail }: Hold): ListedAgent['hold'] => ({
  kind,
  until: untilMs === null ? null : isoMs(untilMs),
  detail,
});

const listed = (sight: AgentSight): ListedAgent => ({
  name: sight.name,
  driver: sight.settings.driver,
  command: sight.settings.command,
  model: sight.settings.model,
  path: sight.path,
  installed: sight.path !== null,
  version: sight.version,
  account: sight.settings.account,
  chosen: sight.isChosen,
  hold: sight.hold === null ? null : heldView(sight.hold),
});
