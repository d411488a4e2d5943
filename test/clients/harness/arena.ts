import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

import { onTestFinished } from 'vitest';

import { markdownTasks, toml } from '../../e2e/harness/project.ts';
import { ralph, startRalph } from '../../e2e/harness/ralph.ts';
import type { RalphOptions, Result, Running } from '../../e2e/harness/ralph.ts';
import { scratch } from '../../e2e/harness/scratch.ts';
import type { Scratch } from '../../e2e/harness/scratch.ts';
import type { Scenario } from '../model-server/scenario.ts';
import { modelServer } from '../model-server/server.ts';
import type { ModelServer } from '../model-server/server.ts';
import { binOf, clientNamed } from './clients.ts';
import type { ClientName } from './clients.ts';
import { canIsolate, isolatedNetwork } from './network.ts';

/** A project, a model that follows a scenario, and real clients that can reach nothing else. */
export interface Arena extends Scratch {
  readonly model: ModelServer;
  readonly ralph: (args: readonly string[], options?: RalphOptions) => Promise<Result>;
  readonly start: (args: readonly string[], options?: RalphOptions) => Running;
}

export interface ArenaSpec {
  /** The first one is the agent. */
  readonly clients: readonly ClientName[];
  readonly tasks: readonly string[];
  readonly scenario: Scenario;
  readonly config?: Readonly<Record<string, Table>>;
  readonly fallback?: readonly ClientName[];
  /** Over what the clients want; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

type Table = Readonly<Record<string, unknown>>;

const RUN_MS_MAX = 150_000;
const DEFAULTS: Readonly<Record<string, Table>> = {
  gates: { commands: ['test ! -e BROKEN'] },
  parallel: { merge_policy: 'auto_merge' },
  limits: { iterations: 4, runtime: '120s', grace: '2s' },
};

export async function arena(spec: ArenaSpec): Promise<Arena> {
  const made = scratch();
  const { model, url, prefix } = await reachableModel(made, spec.scenario);
  const clients = spec.clients.map(clientNamed);
  for (const client of clients) {
    for (const [path, text] of Object.entries(client.home(url))) writeHome(made, path, text);
  }
  writeProject(made, spec);
  const own = Object.assign({}, ...clients.map((client) => client.env(url)), spec.env) as NonNullable<ArenaSpec['env']>;
  const given = Object.entries(own).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const env = { ...made.env, PATH: pathFor(spec.clients), ...Object.fromEntries(given) };
  const inside: Scratch = { ...made, env };
  const options = (own: RalphOptions | undefined): RalphOptions => ({ timeoutMs: RUN_MS_MAX, ...own, prefix });
  return {
    ...inside,
    model,
    ralph: (args, own) => ralph(inside, args, options(own)),
    start: (args, own) => startRalph(inside, args, options(own)),
  };
}

async function reachableModel(made: Scratch, scenario: Scenario) {
  if (!canIsolate()) {
    const model = await modelServer(scenario, { host: '127.0.0.1', port: 0 });
    onTestFinished(() => model.close());
    return { model, url: `http://127.0.0.1:${model.port}`, prefix: [] };
  }
  const socket = join(made.root, 'model.sock');
  const model = await modelServer(scenario, { path: socket });
  const network = await isolatedNetwork(socket);
  onTestFinished(async () => {
    network.close();
    await model.close();
  });
  return { model, url: `http://127.0.0.1:${network.port}`, prefix: network.prefix };
}

function writeProject(made: Scratch, spec: ArenaSpec): void {
  const tables: Record<string, Table> = { ...spec.config };
  for (const [name, table] of Object.entries(DEFAULTS)) tables[name] = { ...table, ...tables[name] };
  for (const name of spec.clients) {
    tables[`agents.${name}`] = { ...clientNamed(name).table, ...tables[`agents.${name}`] };
  }
  const top = `agent = ${JSON.stringify(spec.clients[0])}\nfallback = ${JSON.stringify(spec.fallback ?? [])}\n`;
  made.put('PRD.md', markdownTasks(spec.tasks));
  made.put('ralph.toml', `${top}${toml(tables)}`);
  made.git('add', '-A');
  made.git('commit', '-q', '-m', 'Plan the work');
}

function writeHome(made: Scratch, path: string, text: string): void {
  mkdirSync(dirname(join(made.home, path)), { recursive: true });
  writeFileSync(join(made.home, path), text);
}

/** The clients, node, git, and the programs of the system: nothing else of the caller's path. */
function pathFor(names: readonly ClientName[]): string {
  const bins = names.map((name) => binOf(name)).filter((bin) => bin !== null);
  const git = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim();
  const folders = [...bins, dirname(process.execPath), dirname(git), '/usr/bin', '/bin'];
  return [...new Set(folders)].join(delimiter);
}
