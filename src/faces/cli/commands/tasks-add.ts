import { addToFile } from '../run/edit-tasks.ts';
import type { Handler } from '../../call/handler.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';

export const handle: Handler = async (call) => {
  refuseInLoop(call, 'tasks add');
  return addToFile(call);
};
