import { ScenarioError } from './scenario.ts';
import type { Scenario, StepName } from './scenario.ts';

type Field = 'string' | 'number' | 'string?' | 'number?' | 'steps';
type Shape = 'string' | 'number' | 'true' | 'promise' | Readonly<Record<string, Field>>;

const FILE: Shape = { path: 'string', text: 'string' };

const SHAPES: Readonly<Record<StepName, Shape>> = {
  write: FILE,
  append: FILE,
  remove: { path: 'string' },
  commit: 'string',
  leaveDirty: FILE,
  sleepMs: 'number',
  print: 'string',
  printErr: 'string',
  claim: 'promise',
  claimFalsely: 'true',
  exit: 'number',
  hang: 'true',
  ignoreTerm: 'true',
  spawnSetsid: { sleepMs: 'number', path: 'string?' },
  flood: { bytes: 'number' },
  escape: FILE,
  gitInit: { path: 'string' },
  checkout: { ref: 'string' },
  fixOnGateFailure: { steps: 'steps', when: 'string?' },
  waitForFile: { path: 'string', timeoutMs: 'number?' },
  env: { path: 'string' },
  prompt: { path: 'string' },
  pwd: { path: 'string' },
};

/** Reads a scenario; every fault is named by its place. */
export function parseScenario(text: string): Scenario {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ScenarioError(`not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const scenario = asObject(value, 'scenario');
  for (const key of Object.keys(scenario)) {
    if (!['tasks', 'default', 'record'].includes(key)) throw new ScenarioError(`scenario: unknown key "${key}"`);
  }
  if (scenario['tasks'] !== undefined) {
    for (const [id, script] of Object.entries(asObject(scenario['tasks'], 'tasks'))) checkScript(script, `tasks.${id}`);
  }
  if (scenario['default'] !== undefined) checkScript(scenario['default'], 'default');
  if (scenario['record'] !== undefined) checkField(scenario['record'], 'string', 'record');
  return scenario as Scenario;
}

function checkScript(value: unknown, at: string): void {
  const iterations = asObject(value, at)['iterations'];
  if (!Array.isArray(iterations) || iterations.length === 0) {
    throw new ScenarioError(`${at}.iterations: expected a list with at least one list of steps`);
  }
  for (const [index, steps] of iterations.entries()) checkSteps(steps, `${at}.iterations[${index}]`);
}

function checkSteps(value: unknown, at: string): void {
  if (!Array.isArray(value)) throw new ScenarioError(`${at}: expected a list of steps`);
  for (const [index, step] of value.entries()) checkStep(step, `${at}[${index}]`);
}

function checkStep(value: unknown, at: string): void {
  const keys = Object.keys(asObject(value, at));
  const name = keys[0];
  if (keys.length !== 1 || name === undefined) throw new ScenarioError(`${at}: a step has exactly one key`);
  if (!Object.hasOwn(SHAPES, name)) throw new ScenarioError(`${at}: unknown step "${name}"`);
  const shape = SHAPES[name as StepName];
  const argument = (value as Record<string, unknown>)[name];
  if (shape === 'true') {
    if (argument !== true) throw new ScenarioError(`${at}.${name}: expected true`);
  } else if (shape === 'promise') {
    if (argument !== true && typeof argument !== 'string')
      throw new ScenarioError(`${at}.${name}: expected true or text`);
  } else if (typeof shape === 'string') {
    checkField(argument, shape, `${at}.${name}`);
  } else {
    checkFields(asObject(argument, `${at}.${name}`), shape, `${at}.${name}`);
  }
}

function checkFields(value: Record<string, unknown>, shape: Readonly<Record<string, Field>>, at: string): void {
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(shape, key)) throw new ScenarioError(`${at}: unknown field "${key}"`);
  }
  for (const [key, field] of Object.entries(shape)) checkField(value[key], field, `${at}.${key}`);
}

function checkField(value: unknown, field: Field, at: string): void {
  if (field === 'steps') return checkSteps(value, at);
  if (value === undefined && field.endsWith('?')) return;
  const type = field.replace('?', '');
  if (typeof value !== type) throw new ScenarioError(`${at}: expected a ${type}`);
}

function asObject(value: unknown, at: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ScenarioError(`${at}: expected an object`);
  }
  return value as Record<string, unknown>;
}
