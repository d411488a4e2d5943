import { chooseTool } from './choose-tool.ts';
import { placeOf } from './conversation.ts';
import type { Answer, Conversation } from './conversation.ts';
import { USAGE } from './scenario.ts';
import type { Refusal, Scenario, Turn, Usage } from './scenario.ts';

type Said =
  | { readonly refusal: Refusal }
  | { readonly answer: Answer; readonly usage: Usage; readonly headers: Readonly<Record<string, string>> };

export interface Director {
  /** What to say; null: nothing, ever. */
  readonly next: (conversation: Conversation, raw: string) => Promise<Said | null>;
  readonly release: (name: string) => void;
}

/** The worktree a request speaks of: clients tell the model where it is, each in its own words. */
const WORKTREE = /\/[\w./-]*\/\.ralph\/worktrees\/[\w.-]*\w/;

/** Follows a scenario; remembers only how often each task began, which refusals are used up, and what is released. */
export function director(scenario: Scenario): Director {
  const conversations = new Map<string, number>();
  const refused = new Map<string, number>();
  const released = new Set<string>();
  const waiting = new Map<string, (() => void)[]>();

  const turnsOf = (task: string, nth: number): readonly Turn[] => {
    const lists = scenario.byTask?.[task] ?? [scenario.turns ?? []];
    return lists[Math.min(nth, lists.length) - 1] ?? [];
  };

  /** The turn at this place; a refusal that was given often enough has made room for what follows it. */
  const turnAt = (turns: readonly Turn[], index: number, key: string): Turn => {
    const usedUp = (turn: Turn, at: number): boolean =>
      turn.error !== undefined && (refused.get(`${key} ${at}`) ?? 0) >= (turn.times ?? Infinity);
    const left = turns.map((turn, at) => ({ turn, at })).filter(({ turn, at }) => !usedUp(turn, at));
    const chosen = left[Math.min(index, left.length - 1)];
    if (chosen?.turn.error !== undefined)
      refused.set(`${key} ${chosen.at}`, (refused.get(`${key} ${chosen.at}`) ?? 0) + 1);
    return chosen?.turn ?? { text: 'ok' };
  };

  return {
    next: async (conversation, raw) => {
      const { task, turn: index } = placeOf(conversation);
      if (conversation.isSide) return { answer: { text: 'ok', call: null }, usage: USAGE, headers: {} };
      const key = task ?? '';
      const nth = (conversations.get(key) ?? 0) + (index === 0 ? 1 : 0);
      conversations.set(key, nth);
      const turn = turnAt(turnsOf(key, nth), index, key);
      if (turn.hang === true) return null;
      if (turn.error !== undefined) {
        // Asked again, it is the same conversation still.
        conversations.set(key, nth - 1);
        return { refusal: turn.error };
      }
      const { after } = turn;
      if (after !== undefined && !released.has(after))
        await new Promise<void>((resolve) => waiting.set(after, [...(waiting.get(after) ?? []), resolve]));
      const words = { task: key, nth: String(nth), cwd: WORKTREE.exec(raw)?.[0] ?? '.' };
      const answer = answerOf(conversation, filled(turn, words));
      return {
        answer,
        usage: { ...USAGE, ...scenario.usage, ...turn.usage },
        headers: scenario.okHeaders ?? {},
      };
    },
    release: (name) => {
      released.add(name);
      for (const go of waiting.get(name) ?? []) go();
      waiting.delete(name);
    },
  };
}

function answerOf(conversation: Conversation, turn: Turn): Answer {
  const call = chooseTool(conversation.tools, turn);
  const isAsked = turn.shell !== undefined || turn.write !== undefined || turn.verb !== undefined;
  if (turn.answer !== undefined && call === null) return { text: JSON.stringify(turn.answer), call };
  const names = conversation.tools.map((tool) => tool.name).join(', ');
  return { text: isAsked && call === null ? `no tool for this turn among: ${names}` : (turn.text ?? ''), call };
}

/** Fills in every string of a turn. */
function filled(turn: Turn, words: Readonly<Record<string, string>>): Turn {
  const text = JSON.stringify(turn).replaceAll(/\$\{(\w+)\}/g, (whole, name: string) =>
    words[name] === undefined ? whole : JSON.stringify(words[name]).slice(1, -1),
  );
  return JSON.parse(text) as Turn;
}
