import { processSource } from './process-source.ts';

/** How a shim shows up: its script, its name, and behind that its run folder. */
const SHIM = /ralph_shim_dir=\$1[^]*?ralph-shim[\0 ][^\0]*?\/runs\/([^/\0 ]+)\/\d+/;

/** The loop whose shim is one of the processes above this one; null: none is. */
export function shimAbove(): string | null {
  for (const command of processSource.commandsAbove(process.ppid)) {
    const loop = SHIM.exec(command)?.[1];
    if (loop !== undefined) return loop;
  }
  return null;
}
