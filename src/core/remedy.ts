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
