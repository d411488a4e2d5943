import { addToFile } from '../run/edit-tasks.ts';
import type { Call } from '../../call/handler.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';

export const handle = async (call: Call) => {
  refuseInLoop(call, 'tasks add');
  return addToFile(call);
};
