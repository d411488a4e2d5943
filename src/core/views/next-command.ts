import { shellWord } from '../model/shell-word.ts';
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

export const restoreCommand = (id: string): string => `ralph keep restore ${shellWord(id)}`;
