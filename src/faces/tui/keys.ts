import { canBeQueued } from '../../core/loops/landing-queue.ts';
import type { Loop } from '../../core/model/model.ts';
import { shellWord } from '../../core/model/shell-word.ts';

/** What a key is about: the row that is chosen, or the loop that is shown. */
export interface Subject {
  readonly loop: Loop | null;
  readonly task: string | null;
  /** The command that moves it on. */
  readonly next: string | null;
  /** The commit whose changes somebody has before them. */
  readonly head: string | null;
  /** Nothing lands. */
  readonly isPaused: boolean;
  /** Nothing new starts. */
  readonly isHeld: boolean;
}

export interface KeySpec {
  /** As readline names it. */
  readonly key: string;
  /** As a person reads it. */
  readonly shown: string;
  readonly group: 'move' | 'look' | 'act' | 'queue' | 'undo' | 'else';
  readonly does: string;
  /** The words of the command it stands for; null: there is nothing it could be about. Absent: it only looks. */
  readonly words?: (subject: Subject) => readonly string[] | null;
}

const idOf = ({ loop, task }: Subject): string | null => loop?.id ?? task;

/** A command about what is chosen. */
const about =
  (...words: readonly string[]) =>
  (subject: Subject): readonly string[] | null => {
    const id = idOf(subject);
    return id === null ? null : [...words, id];
  };

/** The same about a loop alone. */
const ofLoop =
  (...words: readonly string[]) =>
  ({ loop }: Subject): readonly string[] | null =>
    loop === null ? null : [...words, loop.id];

function approval({ loop, head }: Subject): readonly string[] | null {
  if (loop === null || !canBeQueued(loop)) return null;
  const seen = head ?? loop.head;
  return ['review', loop.id, '--approve', ...(seen === null ? [] : ['--head', seen])];
}

const key = (
  name: string,
  group: KeySpec['group'],
  does: string,
  words?: KeySpec['words'],
  shown: string = name,
): KeySpec => ({ key: name, group, does, shown, ...(words === undefined ? {} : { words }) });

/** Every key, as data: the page that lists them, and what they do, are made from it. */
export const KEYS: readonly KeySpec[] = [
  key('j', 'move', 'down', undefined, 'j k, arrows'),
  key('g', 'move', 'to the first, to the last', undefined, 'g G'),
  key('ctrl-d', 'move', 'half a page', undefined, 'ctrl-d ctrl-u'),
  key('n', 'move', 'the next that needs you; the next hit or hunk', undefined, 'n N'),
  key('tab', 'move', 'the next section; of a diff, what it is compared with'),
  key('return', 'move', 'open', undefined, 'enter'),
  key('escape', 'move', 'back', undefined, 'esc h'),
  key('1', 'move', 'the parts of a loop', undefined, '1-5'),
  key('[', 'move', 'the loop before, the next one', undefined, '[ ]'),
  key('t', 'look', 'what its agent says', ofLoop('logs')),
  key('d', 'look', 'what it changed', ofLoop('loops', 'diff')),
  key('w', 'look', 'why it has not landed', about('why')),
  key('H', 'look', 'what happened to it', ofLoop('loops', 'history')),
  key('c', 'look', 'what all this cost; in a diff: write a comment', () => ['cost']),
  key('T', 'look', 'the train', () => ['queue']),
  key('L', 'look', 'what landed'),
  key('p', 'look', 'what was parked'),
  key('f', 'look', 'follow the end', ofLoop('loops', 'logs', '-f')),
  key('s', 'act', 'send its agent a message', ofLoop('loops', 'steer')),
  key('v', 'act', 'review it: its diff; there: begin a range', ofLoop('review')),
  key('S', 'act', 'send your comments back to it', ofLoop('review', '--comments', '-')),
  key('a', 'act', 'approve and land what you see', approval),
  key('r', 'act', 'resume it', ofLoop('loops', 'resume')),
  key('x', 'act', 'stop it after this iteration', ofLoop('loops', 'stop')),
  key('X', 'act', 'stop it now (asks)', ofLoop('loops', 'stop', '--force')),
  key('b', 'queue', 'land it first', ofLoop('queue', 'bump')),
  key('e', 'queue', 'take it out of the queue', ofLoop('queue', 'eject')),
  key('P', 'queue', 'pause landing, or resume it', ({ isPaused }) => ['queue', isPaused ? 'resume' : 'pause']),
  key('u', 'queue', 'start nothing new, or continue', ({ isHeld }) => [isHeld ? 'unpause' : 'pause']),
  key('W', 'queue', 'how many loops work at once (asks)', () => ['workers']),
  key('ctrl-x', 'undo', 'discard it: type its id; its work is kept', ofLoop('loops', 'discard', '--yes')),
  key('z', 'undo', 'undo the last discard', () => ['undo']),
  key('/', 'else', 'filter; in a text: search'),
  key(':', 'else', 'any ralph command'),
  key('!', 'else', 'a shell in its worktree', ofLoop('loops', 'attach')),
  key('y', 'else', 'copy the next command; in a text: the line'),
  key('?', 'else', 'these keys; type to search them'),
  key('ctrl-l', 'else', 'draw it all again'),
  key('ctrl-z', 'else', 'leave it to the shell for a while'),
  key('q', 'else', 'leave; the run continues'),
];

/** The command a key stands for, ready to be typed elsewhere. */
export function commandOf({ words }: KeySpec, subject: Subject): string | null {
  const said = words?.(subject) ?? null;
  const typed = said?.map((word) => (word.startsWith('-') ? word : shellWord(word)));
  return typed === undefined ? null : `ralph ${typed.join(' ')}`;
}
