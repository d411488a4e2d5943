import type { Failure } from '../../../core/model/failure.ts';
import type { UsageView } from '../../../core/views/cost-view.ts';
import { costInWords, usageView } from '../../../core/views/cost-view.ts';
import { describeMs } from '../../../core/model/describe-time.ts';
import { AppError } from '../../../core/model/errors.ts';
import { shellLine } from '../../../core/model/shell-word.ts';
import { KNOWN_AGENTS } from '../../../text/agents/known.ts';
import { cleanLine, cleanText } from '../../../text/screen/clean.ts';
import type { AgentLook, AgentSight } from '../../../world/agents/agent-check.ts';
import { checkAgent, chosenName, lookAtAgent, lookAtAgents } from '../../../world/agents/agent-check.ts';
import type { Finding } from '../../../world/contract/finding.ts';
import { smokeTurn } from '../../../world/agents/smoke-turn.ts';
import type { SmokeResult } from '../../../world/agents/smoke-turn.ts';
import type { Call, Handler } from '../../call/handler.ts';
import { openProject, readState } from '../../call/project.ts';
import { SET_AGENT } from '../../../world/agents/choose-agent.ts';

const SAID_CHARS_MAX = 200;

/** Everything that can be known of an agent before a run depends on it. */
interface CheckedAgent {
  readonly name: string;
  readonly driver: string;
  readonly path: string | null;
  readonly version: string | null;
  readonly chosen: boolean;
  readonly fine: boolean;
  readonly findings: readonly Finding[];
  readonly smoke: SmokeTold | null;
}

interface SmokeTold extends UsageView {
  readonly fine: boolean;
  readonly outcome: string;
  readonly failure: Failure | null;
  readonly final_text: string;
  readonly stderr: string;
  readonly duration_ms: number;
}

export const handle: Handler<{ readonly agents: readonly CheckedAgent[] }> = async (call) => {
  const { repo, config } = await openProject(call);
  const { settings } = config;
  const look = { settings, state: await readState(repo), env: call.env, root: repo.root };
  const checked = [];
  for (const sight of await sightsFor(look, call.args[0] ?? null)) {
    const findings = checkAgent(look, sight);
    const smoke = call.flags['smoke'] === true && sight.path !== null ? await tryTurn(call, look, sight) : null;
    checked.push({ sight, findings, smoke });
    tell(call, sight, findings, smoke);
  }
  return { data: { agents: checked.map(inJson) }, error: errorOf(call.args[0] ?? null, checked) };
};

interface Checked {
  readonly sight: AgentSight;
  readonly findings: readonly Finding[];
  readonly smoke: SmokeResult | null;
}

async function sightsFor(look: AgentLook, name: string | null): Promise<readonly AgentSight[]> {
  if (name !== null) return [await lookAtAgent(look, name, chosenName(look) === name)];
  const installed = (await lookAtAgents(look)).filter((sight) => sight.path !== null || sight.isChosen);
  if (installed.length > 0) return installed;
  throw new AppError('E_NO_AGENT', 'no agent is installed', {
    facts: [`looked for ${[...KNOWN_AGENTS.keys()].join(', ')}: install one of them, and it is found`],
    remedy: SET_AGENT,
  });
}

async function tryTurn(call: Call, look: AgentLook, sight: AgentSight): Promise<SmokeResult> {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  call.out.say(`${sight.name}: one turn in a scratch repository`);
  const { settings, env } = look;
  return await smokeTurn({ name: sight.name, agent: sight.settings, settings, env, signal: stop.signal });
}

function tell(call: Call, sight: AgentSight, findings: readonly Finding[], smoke: SmokeResult | null): void {
  const { style } = call.out;
  const marks = { ok: style.green('ok  '), warn: style.yellow('warn'), fail: style.red('FAIL') };
  const lines = findings.map(({ check, level, message, remedy }) => line(marks[level], check, message, remedy));
  if (smoke !== null)
    lines.push(line(smoke.isFine ? marks.ok : marks.fail, 'smoke', smokeWords(smoke), smokeRemedy(sight, smoke)));
  // A client that breaks before it speaks its protocol says why here and nowhere else.
  if (smoke !== null && !smoke.isFine && smoke.complaint.trim() !== '')
    lines.push(`${cleanText(smoke.complaint).trimEnd()}`.replaceAll(/^/gm, '          '));
  call.out.data([style.bold(sight.name), ...lines].join('\n'));
}

const line = (mark: string, check: string, message: string, remedy: string | null): string =>
  `  ${mark}  ${check}: ${cleanLine(message)}${remedy === null ? '' : `\n          fix: ${remedy}`}`;

function smokeWords(smoke: SmokeResult): string {
  const { usage } = smoke;
  const why = smoke.failure === null ? '' : ` (${smoke.failure.kind}: ${smoke.failure.message})`;
  const said =
    smoke.finalText === '' ? 'said nothing' : `said ${JSON.stringify(smoke.finalText.slice(-SAID_CHARS_MAX))}`;
  const spent = `${usage.inputTokens} tokens in, ${usage.outputTokens} out, cost ${costInWords(usageView(usage))}`;
  return `${smoke.outcome}${why}, ${said}; ${spent}, ${describeMs(smoke.durationMs)}`;
}

function smokeRemedy({ name, settings }: AgentSight, smoke: SmokeResult): string | null {
  if (smoke.isFine) return null;
  const login = KNOWN_AGENTS.get(name)?.login;
  if (smoke.outcome === 'refused' && login !== undefined) return login;
  return shellLine(settings.command);
}

/** A turn that failed outweighs what is merely not in order. */
function errorOf(name: string | null, checked: readonly Checked[]): AppError | null {
  const failed = checked.find(({ smoke }) => smoke !== null && !smoke.isFine);
  if (failed !== undefined) {
    const why = failed.smoke?.failure?.message ?? failed.smoke?.outcome ?? '';
    return new AppError('E_AGENT_FAILED', `agent ${failed.sight.name}: its trial turn failed: ${why}`, {
      remedy: smokeRemedy(failed.sight, failed.smoke as SmokeResult) ?? 'ralph agents list',
    });
  }
  const unfit = checked.find(({ findings }) => findings.some(({ level }) => level === 'fail'));
  if (unfit === undefined) return null;
  const finding = unfit.findings.find(({ level }) => level === 'fail');
  return new AppError('E_AGENT_MISSING', `agent ${unfit.sight.name} cannot be used: ${finding?.message ?? ''}`, {
    remedy: finding?.remedy ?? `ralph agents check ${name ?? ''}`,
  });
}

const inJson = ({ sight, findings, smoke }: Checked): CheckedAgent => ({
  name: sight.name,
  driver: sight.settings.driver,
  path: sight.path,
  version: sight.version,
  chosen: sight.isChosen,
  fine: findings.every(({ level }) => level !== 'fail') && (smoke === null || smoke.isFine),
  findings,
  smoke:
    smoke === null
      ? null
      : {
          fine: smoke.isFine,
          outcome: smoke.outcome,
          failure: smoke.failure,
          final_text: smoke.finalText,
          stderr: smoke.complaint,
          duration_ms: smoke.durationMs,
          ...usageView(smoke.usage),
        },
});
