import { readLooseObject } from './loose-objects.ts';
import type { GitView } from '../run/view.ts';

/** What landed lately lies by itself; whoever looks further back may as well start git. */
const STEPS_MAX = 32;

/** Whether the first parents of a commit lead to another one, as far as that can be told without a process. False: only git can tell. */
export function leadsBack(view: GitView, from: string, to: string): boolean {
  let at: string | undefined = from;
  for (let step = 0; step < STEPS_MAX && at !== undefined; step += 1) {
    if (at === to) return true;
    const found = readLooseObject(view, at);
    const text = found?.type === 'commit' ? found.content.toString('latin1') : '';
    at = /^tree [0-9a-f]+\nparent ([0-9a-f]+)\n/.exec(text)?.[1];
  }
  return false;
}
