import { join, resolve } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { iterationsLeft } from '../../../text/start/ralph-loop-state.ts';
import { openingWords, startPrompt } from '../../../text/start/start-prompt.ts';
import { readWish } from '../../../text/start/workflow.ts';
import type { Wish } from '../../../text/start/workflow.ts';
import { isFile } from '../../../world/os/read-if-there.ts';
import { readPlainText } from '../../../world/os/files.ts';
import { findRalphLoop } from '../../../world/start/who-loops.ts';
import type { FoundRalphLoop } from '../../../world/start/who-loops.ts';
import type { Call } from '../../call/handler.ts';

/** What shall be done in the worktree. */
export type StartWish =
  | Wish
  /** Goes on with a loop of the ralph-loop plugin, as one of ours. */
  | { readonly workflow: 'continue-loop'; readonly found: FoundRalphLoop & { readonly problem: null } };

export interface LoopText {
  readonly prompt: string;
  /** Settings the loop brings along, by dotted key. */
  readonly settings: ReadonlyMap<string, string>;
}

/** What the words and flags ask for. Nothing is changed yet. */
export function wishOf(call: Call, feature: string, words: readonly string[], checkout: string): StartWish {
  if (call.flags['continueLoop'] !== true) return readWish(feature, words, (path) => isFile(resolve(call.cwd, path)));
  if (words.length > 0)
    throw new AppError('E_USAGE', '--continue-loop brings its own prompt', {
      remedy: `ralph start ${shellWord(feature)} --continue-loop`,
    });
  const found = findRalphLoop([...new Set([call.cwd, checkout])]);
  if (found === null)
    throw new AppError('E_LOOP_FILE', `there is no .claude/ralph-loop.local.md in ${call.cwd}`, {
      remedy: 'find . -name ralph-loop.local.md',
    });
  if (found.problem !== null)
    throw new AppError('E_LOOP_FILE', found.problem, {
      facts: ['it stays as it is'],
      remedy: `$EDITOR ${shellWord(found.file)}`,
    });
  return { workflow: 'continue-loop', found };
}

/** What the loop is told; null: there is none, a person talks to the agent. */
export function loopText(
  call: Call,
  wish: StartWish,
  order: { readonly feature: string; readonly plans: string; readonly worktree: string },
): LoopText | null {
  if (wish.workflow === 'simple') return null;
  if (wish.workflow === 'continue-loop') {
    const { state } = wish.found;
    const left = iterationsLeft(state);
    const settings = new Map<string, string>();
    if (left !== null) settings.set('limits.iterations', String(left));
    if (state.completionPromise !== null) settings.set('completion_promise', state.completionPromise);
    return { prompt: state.prompt, settings };
  }
  const plan = planOf(order);
  const { workflow, source } = wish;
  const spec = source === null ? plan : 'spec' in source ? source.spec : null;
  const text = source !== null && 'text' in source ? source.text : specText(call, source?.spec ?? null, plan, order);
  return {
    prompt: startPrompt({ workflow, feature: order.feature, plan, spec, text, ...boundsOf(call) }),
    settings: new Map(workflow === 'plan-only' ? [['completion_file', plan]] : []),
  };
}

/** What an agent to talk to is told first; null: nothing, or it is a loop. */
export function openingOf(
  call: Call,
  wish: StartWish,
  order: { readonly feature: string; readonly plans: string; readonly worktree: string },
): string | null {
  if (wish.workflow !== 'simple') return null;
  const { source } = wish;
  const text =
    source === null ? null : 'text' in source ? source.text : specText(call, source.spec, planOf(order), order);
  return openingWords(text, boundsOf(call));
}

/** Refuses what could not be told, before anything is made. `planned`: whether the plan of a feature will be in its worktree. */
export async function requireText(
  call: Call,
  wish: StartWish,
  order: { readonly feature: string; readonly plans: string; readonly worktree: string },
  planned: (plan: string) => Promise<boolean>,
): Promise<void> {
  if (wish.workflow === 'continue-loop') return;
  if (wish.workflow === 'simple') openingOf(call, wish, order);
  else if (wish.source !== null || !(await planned(planOf(order)))) loopText(call, wish, order);
}

const planOf = ({ plans, feature }: { readonly plans: string; readonly feature: string }): string =>
  join(plans, `${feature}.md`);

/** As the user sees it now: in the worktree it may be older, or not there. */
function specText(
  call: Call,
  spec: string | null,
  plan: string,
  order: { readonly feature: string; readonly worktree: string },
): string {
  const file = spec === null ? join(order.worktree, plan) : resolve(call.cwd, spec);
  const read = readPlainText(file);
  if (read !== null && 'text' in read && read.text.trim() !== '') return read.text;
  if (read === null)
    throw new AppError('E_USAGE', `there is no ${spec ?? plan} to carry out`, {
      facts: spec === null ? [`${order.feature} has no plan at ${file}`] : [],
      remedy: `ralph start ${shellWord(order.feature)} plan-and-implement "what is wanted"`,
    });
  throw new AppError('E_PROMPT', `${file} ${'fault' in read ? read.fault : 'is empty'}`, {
    remedy: `ls -l ${shellWord(file)}`,
  });
}

const boundsOf = (call: Call): { readonly workOn: readonly string[]; readonly skip: readonly string[] } => ({
  workOn: texts(call, 'workOn'),
  skip: texts(call, 'skip'),
});

const texts = ({ flags }: Call, name: string): readonly string[] => {
  const value = flags[name];
  return Array.isArray(value) ? (value as readonly string[]) : [];
};
