import { markInFile } from '../run/edit-tasks.ts';
import type { Call } from '../../call/handler.ts';

export const handle = async (call: Call) => markInFile(call, 'tasks done', 'done', null);
