import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const PROJECT = join(import.meta.dirname, '../../..');

export interface Bundle {
  readonly main: string;
  readonly scriptedAgent: string;
}

let built: Bundle | null = null;
let builtFallible: Pick<Bundle, 'main'> | null = null;

/** The built program. The build itself knows whether it is current and keeps two builds from meeting. */
export function bundle(): Bundle {
  built ??= { ...build([], { main: 'dist/main.js' }), scriptedAgent: join(PROJECT, 'test/scripted/agent.mjs') };
  return built;
}

/** The same program with its failpoints, as `RALPH_FAILPOINTS` arms them. */
export function fallible(): string {
  builtFallible ??= build(['--test'], { main: '.cache/test-dist/main.js' });
  return builtFallible.main;
}

function build<B extends Partial<Bundle>>(flags: readonly string[], files: B): B {
  if (process.env['TESTS_ARE_BUILT'] === undefined)
    execFileSync(process.execPath, [join(PROJECT, 'scripts/build.mjs'), ...flags], { cwd: PROJECT, stdio: 'pipe' });
  const made = Object.entries(files).map(([name, file]) => [name, join(PROJECT, file)] as const);
  for (const [, file] of made) {
    if (!existsSync(file)) throw new Error(`the build did not make ${file}`);
  }
  return Object.fromEntries(made) as B;
}
