import type { GitView } from '../run/view.ts';

const ANSWERS_MAX = 2000;

export interface Memory<T> {
  readonly ask: (view: GitView, key: string) => Promise<T>;
  /** For an answer that came as part of another one. */
  readonly know: (view: GitView, key: string, answer: T) => void;
}

/** Remembers what a view was asked about commits and trees: what is named by its content never changes. Failures are asked again. */
export function remember<T>(ask: (view: GitView, key: string) => Promise<T>): Memory<T> {
  const known = new WeakMap<GitView, Map<string, T>>();
  const answersOf = (view: GitView): Map<string, T> => {
    const answers = known.get(view) ?? new Map<string, T>();
    if (answers.size >= ANSWERS_MAX) answers.clear();
    known.set(view, answers);
    return answers;
  };
  return {
    ask: async (view, key) => {
      const before = answersOf(view).get(key);
      if (before !== undefined) return before;
      const answer = await ask(view, key);
      answersOf(view).set(key, answer);
      return answer;
    },
    know: (view, key, answer) => void answersOf(view).set(key, answer),
  };
}
