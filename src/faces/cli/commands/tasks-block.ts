import { markInFile } from '../run/edit-tasks.ts';
import type { Call } from '../../call/handler.ts';

export const handle = async (call: Call) =>
  markInFile(call, 'tasks block', 'blocked', (call.flags['reason'] as string | undefined) ?? null);
