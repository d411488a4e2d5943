import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './repository.ts';

export interface ToolResult {
  readonly code: number | null;
  readonly output: string;
}

function runToEnd(argv: readonly string[], cwd: string): ToolResult {
  const [program, ...args] = argv;
  const result = spawnSync(program ?? '', args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return { code: result.status, output: `${result.stdout}${result.stderr}` };
}

/** Runs a program of a development package in a folder. */
export const runTool = (name: string, args: readonly string[], cwd: string = ROOT): ToolResult =>
  runToEnd([join(ROOT, 'node_modules', '.bin', name), ...args], cwd);

/** Runs a script with the Node that runs the tests. */
export const runNode = (args: readonly string[], cwd: string = ROOT): ToolResult =>
  runToEnd([process.execPath, ...args], cwd);
