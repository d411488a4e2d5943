import { markInFile } from '../run/edit-tasks.ts';
import type { Handler } from '../../call/handler.ts';

export const handle: Handler = async (call) =>
  markInFile(call, 'tasks block', 'blocked', (call.flags['reason'] as string | undefined) ?? null);
