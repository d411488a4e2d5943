import type { GitView } from './view.ts';

const ANSWERS_MAX = 2000;

/** Remembers what a view was asked about commits and trees: what is named by its content never changes. Failures are asked again. */
export function remember<T>(
  ask: (view: GitView, key: string) => Promise<T>,
): (view: GitView, key: string) => Promise<T> {
  const known = new WeakMap<GitView, Map<string, T>>();
  return async (view, key) => {
    const answers = known.get(view) ?? new Map<string, T>();
    known.set(view, answers);
    const before = answers.get(key);
    if (before !== undefined) return before;
    const answer = await ask(view, key);
    if (answers.size >= ANSWERS_MAX) answers.clear();
    answers.set(key, answer);
    return answer;
  };
}
