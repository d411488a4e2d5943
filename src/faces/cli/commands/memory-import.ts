import { resolve } from 'node:path';
import { tell } from '../../verbs/answer.ts';
import { importMemories } from '../../verbs/edit-memories.ts';
import type { Handler } from '../handler.ts';
import { refuseInLoop } from '../refuse-in-loop.ts';

export const handle: Handler = async (call) => {
  refuseInLoop(call, 'memory import');
  const [file] = call.args;
  const path = file === undefined ? null : resolve(call.cwd, file);
  return tell(
    call,
    importMemories(call.cwd, path, (text) => call.out.say(text)),
  );
};
