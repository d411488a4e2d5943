import type { TaskState } from './view.ts';

/** The command that moves a task on, ready to paste. */
export function nextCommand(status: TaskState, id: string, canLand: boolean): string | null {
  switch (status) {
    case 'ready':
      return `ralph land ${shellWord(id)}`;
    case 'interrupted':
    case 'orphaned':
      return 'ralph run --parallel';
    case 'parked':
      return canLand ? `ralph land ${shellWord(id)}` : `ralph tasks reset ${shellWord(id)}`;
    case 'waiting':
    case 'blocked':
    case 'running':
    case 'queued':
    case 'landing':
    case 'landed':
    case 'done':
      return null;
  }
}

/** A word any POSIX shell takes as this text. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_./:@%+=,-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Does something where a commit stands, away from every checkout. */
export const inNewWorktree = (ref: string, act: string): string =>
  `d=$(mktemp -d) && git worktree add --detach "$d" ${shellWord(ref)} && cd "$d" && ${act}`;

/** As it was run: a person's own shell may not count a failure in the middle. */
export const asGate = (command: string): string =>
  /[|;&\n]/.test(command) ? `bash -eo pipefail -c ${shellWord(command)}` : command;
