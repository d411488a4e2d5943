import { appendFileSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import process from 'node:process';

import { parseScenario } from './parse-scenario.ts';
import { performSteps } from './perform-step.ts';
import { pickSteps, ScenarioError } from './scenario.ts';
import type { Scenario } from './scenario.ts';

const EXIT_FAILED = 1;
const EXIT_SCENARIO = 2;

/** Plays one iteration of a scenario the way a coding agent would: prompt in, changes and words out. */
async function main(argv: readonly string[]): Promise<number> {
  const [path, ...rest] = argv;
  if (path === undefined || rest.length > 0) throw new ScenarioError('usage: scripted-agent SCENARIO.json');
  const scenario = readScenario(path);
  const task = process.env['RALPH_TASK_ID'] ?? '';
  const iteration = Number(process.env['RALPH_ITERATION'] ?? '1');
  if (!Number.isInteger(iteration)) throw new ScenarioError('RALPH_ITERATION is not a number');
  const steps = pickSteps(scenario, task, iteration);
  const note = recorder(
    scenario.record === undefined ? null : resolve(dirname(path), scenario.record),
    task,
    iteration,
  );
  note({});
  const prompt = await readPrompt();
  const code = await performSteps(steps, { task, iteration, prompt });
  note({ ended: true });
  return code ?? 0;
}

function readScenario(path: string): Scenario {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ScenarioError(error instanceof Error ? error.message : String(error));
  }
  return parseScenario(text);
}

function recorder(path: string | null, task: string, iteration: number): (more: object) => void {
  if (path === null) return () => {};
  return (more) => {
    const line = { task, iteration, pid: process.pid, cwd: process.cwd(), at: new Date().toISOString(), ...more };
    appendFileSync(path, `${JSON.stringify(line)}\n`);
  };
}

async function readPrompt(): Promise<string> {
  if (process.stdin.isTTY) return '';
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

// A reader that went away must not turn the scripted ending into another one.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`scripted-agent: ${message}\n`, () => {
    process.exit(error instanceof ScenarioError ? EXIT_SCENARIO : EXIT_FAILED);
  });
}
