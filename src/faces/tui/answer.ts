import { isWorking } from '../../core/model/model.ts';
import { cutChars } from '../../text/screen/clean.ts';
import type { DiffPlace } from '../../text/screen/diff-rows.ts';
import { lexShell } from '../../text/shell/lex.ts';
import type { Subject } from './keys.ts';
import type { Asked, Comment, Model } from './model.ts';
import { holds, moveToNext } from './page.ts';
import { command, told, went } from './pressed.ts';
import type { Key, Pressed } from './pressed.ts';

const TEXT_CHARS_MAX = 2000;

/** What a key changes in what is being typed; null: it is done. */
export function typed(asked: Asked, { name, text }: Key): Asked | null {
  switch (name) {
    case 'escape':
      return null;
    case 'backspace':
      return { ...asked, text: withoutLast(asked.text) };
    case 'ctrl-u':
      return { ...asked, text: '' };
    case 'ctrl-w':
      return { ...asked, text: asked.text.replace(/\S+\s*$/, '') };
    default:
      return name.startsWith('ctrl-') ? asked : { ...asked, text: cutChars(asked.text + text, TEXT_CHARS_MAX) };
  }
}

const SEGMENTS = new Intl.Segmenter('en', { granularity: 'grapheme' });

const withoutLast = (text: string): string =>
  [...SEGMENTS.segment(text)]
    .slice(0, -1)
    .map(({ segment }) => segment)
    .join('');

export interface AnswerFacts {
  readonly subject: Subject;
  /** The lines a comment is about. */
  readonly places: readonly DiffPlace[];
  readonly room: number;
}

/** What becomes of what was typed. */
export function answered(model: Model, { what, text }: Asked, { subject, places, room }: AnswerFacts): Pressed {
  const done = (pressed: Pressed): Pressed => ({ ...pressed, to: { asked: null, ...pressed.to } });
  const { loop } = subject;
  const said = text.trim();
  if (said === '' && what !== 'filter' && what !== 'search') return done(went({}));
  switch (what) {
    case 'filter':
      return done(went({ filter: said, top: 0 }));
    case 'search':
      return done(search(model, said, room));
    case 'command':
      return done(anyCommand(said));
    case 'say':
      if (loop === null) return done(went({}));
      return done(
        isWorking(loop)
          ? command('note', ['loops', 'steer', loop.id, text])
          : command('note', ['review', loop.id, '--changes', '-m', text]),
      );
    case 'comment':
      return done(comment(model, places, said));
    case 'discard':
      if (loop === null || said !== loop.id)
        return done(told(`nothing is discarded: that is not ${loop?.id ?? ''}`, true));
      return done(command('note', ['loops', 'discard', '--yes', loop.id]));
    case 'stop':
      if (loop === null || !/^y(?:es)?$/i.test(said)) return done(told('nothing is stopped'));
      return done(command('note', ['loops', 'stop', '--force', loop.id]));
    case 'workers':
      return done(command('note', ['workers', said]));
    case 'keys':
      return done(went({}));
  }
}

function search(model: Model, said: string, room: number): Pressed {
  const { page } = model;
  if (page === null) return went({});
  const sought = { ...page, search: said };
  if (said === '') return went({ page: sought });
  const found = moveToNext({ ...sought, cursor: sought.cursor - 1 }, 1, holds(said), room);
  return found === null ? told(`no line holds ${said}`, true) : went({ page: found });
}

/** As it would be typed behind `ralph`; the word itself may stand before it. */
function anyCommand(line: string): Pressed {
  const tokens = lexShell(line);
  if (tokens.some(({ kind }) => kind === 'operator')) return told('one ralph command at a time, without pipes', true);
  const words = tokens.map(({ text }) => text);
  const [first, ...rest] = words;
  const own = first === 'ralph' ? rest : words;
  if (own[0] === 'watch') return told('this is ralph watch already');
  if (['run', 'orchestrate'].includes(own[0] ?? '') && !own.includes('--detach') && !own.includes('--dry-run'))
    return told('a run started here would end with this view: add --detach, or start it in another terminal', true);
  return own.length === 0 ? went({}) : command('text', own);
}

function comment({ comments, screen, page }: Model, places: readonly DiffPlace[], text: string): Pressed {
  const last = places.at(-1);
  if (screen.at !== 'loop' || page === null || last === undefined) return went({});
  // A range over lines that came and lines that went is about those that are there now.
  const { path, side } = last;
  const own = places.filter((one) => one.path === path && one.side === side);
  const lines = own.map(({ line }) => line);
  const one: Comment = {
    loop: screen.loop,
    path,
    side,
    first: Math.min(...lines),
    last: Math.max(...lines),
    text,
  };
  return went({ comments: [...comments, one], page: { ...page, from: null } });
}
