import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const PROJECT = join(import.meta.dirname, '../../..');

export interface Bundle {
  readonly main: string;
  readonly scriptedAgent: string;
}

let built: Bundle | null = null;

/** The built program. The build itself knows whether it is current and keeps two builds from meeting. */
export function bundle(): Bundle {
  built ??= build();
  return built;
}

function build(): Bundle {
  execFileSync(process.execPath, [join(PROJECT, 'scripts/build.mjs')], { cwd: PROJECT, stdio: 'pipe' });
  const made = { main: join(PROJECT, 'dist/main.js'), scriptedAgent: join(PROJECT, 'dist/scripted-agent.js') };
  for (const file of Object.values(made)) {
    if (!existsSync(file)) throw new Error(`the build did not make ${file}`);
  }
  return made;
}
