import { existsSync, readFileSync, writeFileSync } from 'node:fs';

import { bundle } from './bundle.ts';
import { wholeLines } from './events.ts';
import { beside } from './ralph.ts';
import type { Scenario, Script, Step } from '../../scripted/scenario.ts';
import type { Scratch } from './scratch.ts';

export type Toml = Readonly<Record<string, Readonly<Record<string, unknown>> | string | readonly string[]>>;

export interface ProjectSpec {
  /** Task files by name; ids instead of a text make a PRD.md with these tasks. */
  readonly tasks: readonly string[] | Readonly<Record<string, string>>;
  /** What every task does unless `byTask` says otherwise. */
  readonly agent?: readonly Step[] | Script;
  readonly byTask?: Readonly<Record<string, readonly Step[] | Script>>;
  readonly config?: Toml;
  readonly files?: Readonly<Record<string, string>>;
}

export interface Call {
  readonly task: string;
  readonly iteration: number;
  readonly pid: number;
  readonly cwd: string;
  readonly at: string;
  readonly ended?: true;
}

/** What an honest agent does: one file of its own, and the claim. */
export const HONEST: readonly Step[] = [{ write: { path: '${task}.txt', text: 'made by ${task}\n' } }, { claim: true }];

const PLAIN = /^[\w-][\w.-]*$/;

const DEFAULTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  gates: { commands: ['test ! -e BROKEN'] },
  parallel: { merge_policy: 'auto_merge' },
  limits: { iterations: 4, runtime: '3m', grace: '1s' },
};

/** Writes and commits a project a user could have: task file, ralph.toml, and the scenario outside of it. */
export function project(scratch: Scratch, spec: ProjectSpec): void {
  writeScenario(scratch, spec);
  const tasks = (
    Array.isArray(spec.tasks) ? { 'PRD.md': markdownTasks(spec.tasks as string[]) } : spec.tasks
  ) as Readonly<Record<string, string>>;
  for (const [path, text] of Object.entries({ ...tasks, ...spec.files })) scratch.put(path, text);
  const scripted = { command: ['sh', beside(scratch, 'scripted.sh')] };
  scratch.put(
    'ralph.toml',
    toml({
      agent: 'scripted',
      ...merged(spec.config ?? {}),
      'agents.scripted': { ...scripted, ...(spec.config?.['agents.scripted'] as object | undefined) },
    }),
  );
  scratch.git('add', '-A');
  scratch.git('commit', '-q', '-m', 'Plan the work');
}

/** Replaces the scenario: what agents do from the next iteration on. */
export function writeScenario(scratch: Scratch, spec: Pick<ProjectSpec, 'agent' | 'byTask'>): void {
  const scenario: Scenario = {
    tasks: Object.fromEntries(Object.entries(spec.byTask ?? {}).map(([id, one]) => [id, asScript(one)])),
    default: asScript(spec.agent ?? HONEST),
    record: beside(scratch, 'calls.ndjson'),
  };
  writeFileSync(beside(scratch, 'scenario.json'), JSON.stringify(scenario));
  writeFileSync(beside(scratch, 'scripted.sh'), agentOf(scratch, scenario));
}

/**
 * What honest agents do, a shell does in a tenth of the time Node takes to start; whoever is told something else, or has a
 * name that is not plain, gets the scripted agent.
 */
function agentOf(scratch: Scratch, { tasks = {}, default: usual }: Scenario): string {
  const isHonest = (script: Script | undefined): boolean => JSON.stringify(script) === JSON.stringify(asScript(HONEST));
  const play = `exec node '${bundle().scriptedAgent}' '${beside(scratch, 'scenario.json')}'`;
  const rows = Object.entries(tasks)
    .filter(([id]) => PLAIN.test(id))
    .map(([id, script]) => `${id}) ${isHonest(script) ? '' : play};;`);
  return `set -e
case $PWD in *[!A-Za-z0-9_./-]*) ${play};; esac
case $RALPH_TASK_ID in ""|*[!A-Za-z0-9_.-]*) ${play};; ${rows.join(' ')} *) ${isHonest(usual) ? '' : play};; esac
at=$(date -u +%Y-%m-%dT%H:%M:%SZ)
note() { printf '{"task":"%s","iteration":%s,"pid":%s,"cwd":"%s","at":"%s"%s}\\n' "$RALPH_TASK_ID" "$RALPH_ITERATION" $$ "$PWD" "$at" "$1" >> '${beside(scratch, 'calls.ndjson')}'; }
note
cat > /dev/null
echo "made by $RALPH_TASK_ID" > "$RALPH_TASK_ID.txt"
echo '<promise>COMPLETE</promise>'
note ',"ended":true'
`;
}

/** Every start and end of an agent so far. */
export function calls(scratch: Scratch): Call[] {
  const path = beside(scratch, 'calls.ndjson');
  if (!existsSync(path)) return [];
  return wholeLines(readFileSync(path, 'utf8')).map((line) => JSON.parse(line) as Call);
}

/** Starts of agents only. */
export function starts(scratch: Scratch): Call[] {
  return calls(scratch).filter((call) => call.ended === undefined);
}

/** A PRD.md with one task per id. */
export function markdownTasks(ids: readonly string[]): string {
  return `# Plan\n\n## Tasks\n\n${ids.map((id) => `- [ ] Make ${id} <!-- id: ${id} -->\n`).join('')}`;
}

/** TOML of two levels; a table may have a dotted name. */
export function toml(tables: Toml): string {
  const line = ([key, value]: [string, unknown]): string => `${key} = ${JSON.stringify(value)}\n`;
  const entries = Object.entries(tables);
  const isTop = (value: unknown): boolean => typeof value === 'string' || Array.isArray(value);
  const top = entries.filter(([, value]) => isTop(value)).map(line);
  const rest = entries
    .filter(([, value]) => !isTop(value))
    .map(([name, table]) => `\n[${name}]\n${Object.entries(table).map(line).join('')}`);
  return [...top, ...rest].join('');
}

function merged(config: Toml): Toml {
  const names = new Set([...Object.keys(DEFAULTS), ...Object.keys(config)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const own = config[name];
      return [name, isTable(own) ? { ...DEFAULTS[name], ...own } : own];
    }),
  );
}

const isTable = (value: Toml[string] | undefined): value is Readonly<Record<string, unknown>> | undefined =>
  value === undefined || (typeof value === 'object' && !Array.isArray(value));

function asScript(script: readonly Step[] | Script): Script {
  return 'iterations' in script ? script : { iterations: [script] };
}
