import { talkArgv } from '../../../text/start/talk-argv.ts';
import { ourPlugin, ourProgram } from '../../../world/agents/run/agent-place.ts';
import type { ChosenAgent } from '../../../world/agents/choose-agent.ts';
import type { MadeFeature } from '../../../world/feature/make-feature.ts';
import { findExecutable } from '../../../world/processes/environment.ts';
import { START_PROMPT, writeLaunchScript, writeStartPrompt } from '../../../world/start/launch-files.ts';
import type { Call } from '../../call/handler.ts';

export interface LaunchWish {
  readonly made: MadeFeature;
  readonly agent: ChosenAgent;
  /** Null: a person talks to the agent. */
  readonly prompt: string | null;
  /** What that agent is told first; null: nothing. */
  readonly opening: string | null;
  /** Of the loop, by dotted key. */
  readonly settings: ReadonlyMap<string, string>;
}

/** More than this is no word of a command line on every system. */
const OPENING_CHARS_MAX = 20_000;

/** The words that start an agent a person talks to. */
export function talkWords({ env }: Call, { made, agent, opening }: LaunchWish): readonly string[] {
  const isLong = opening !== null && (opening.length > OPENING_CHARS_MAX || opening.includes('\0'));
  const told = isLong ? `Read ${START_PROMPT} and do what it says.` : opening;
  const [program = '', ...args] = talkArgv(agent.name, agent.settings, told, ourPlugin());
  return [findExecutable(program, env, made.path) ?? program, ...args];
}

/** Writes what starts it again, any time, from any terminal; returns the script's path. */
export function writeLaunch(call: Call, wish: LaunchWish): string {
  const { made, agent, prompt, opening } = wish;
  const { name, path, env } = made;
  if (prompt === null) {
    if (opening !== null) writeStartPrompt(path, opening);
    const argv = talkWords(call, wish);
    const otherwise = agent.settings.command[0] ?? null;
    return writeLaunchScript(path, agent.name, {
      what: `Starts ${agent.name} in the worktree of ${name}.`,
      argv,
      otherwise,
      env,
      unset: [],
    });
  }
  writeStartPrompt(path, prompt);
  const { node, main } = ourProgram();
  const rest = [
    ...(call.flags['autoMerge'] === false ? ['--no-auto-merge'] : []),
    ...(call.flags['fetch'] === false ? ['--no-fetch'] : []),
  ];
  const settings = [...wish.settings].flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  return writeLaunchScript(path, agent.name, {
    what: `Runs a loop of ${agent.name} in the worktree of ${name}. Its prompt is in start-prompt.md.`,
    argv: [node, main, 'run', '--prompt-file', START_PROMPT, ...rest, ...settings],
    otherwise: null,
    env,
    unset: [],
  });
}
