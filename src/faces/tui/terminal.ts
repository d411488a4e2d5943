import { emitKeypressEvents } from 'node:readline';
import { ReadStream } from 'node:tty';
import type { WriteStream } from 'node:tty';
import { startGuard } from '../../world/processes/terminal-guard.ts';
import type { Size } from './model.ts';
import type { Key } from './pressed.ts';

const ESCAPE = '\u001b[';
/** The alternate screen, no cursor, and no row that goes on in the next one. The mouse stays the terminal's. */
const ENTER = `${ESCAPE}?1049h${ESCAPE}?25l${ESCAPE}?7l${ESCAPE}2J`;
const LEAVE = `${ESCAPE}?2026l${ESCAPE}m${ESCAPE}?7h${ESCAPE}?25h${ESCAPE}?1049l`;

/** An escape key is one that nothing follows for this long. */
const ESCAPE_MS = 50;

export interface Screen {
  readonly size: () => Size;
  readonly write: (text: string) => void;
  /** Lets somebody else have the terminal, and takes it back. */
  readonly lend: <T>(borrower: () => Promise<T>) => Promise<T>;
  readonly suspend: () => void;
  readonly close: () => Promise<void>;
}

export interface ScreenEvents {
  readonly onKey: (key: Key) => void;
  /** It has another size, or is ours again: nothing on it counts any more. */
  readonly onOther: () => void;
}

interface TypedKey {
  readonly name?: string;
  readonly sequence?: string;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
}

/** Takes the terminal over, and gives it back as it was. `input`: where keys come from. */
export async function openScreen(input: number, output: WriteStream, on: ScreenEvents): Promise<Screen> {
  const guard = await startGuard(output, '\\033[?1049l');
  const onKeypress = (text: string | undefined, key: TypedKey): void => on.onKey(asKey(text ?? '', key));
  // Open only while the screen is ours: a stream that pauses reads on for a while, which takes keys from whoever has the
  // terminal, and stops who is in the background.
  let keys: ReadStream | null = null;

  const enter = (): void => {
    const stream = new ReadStream(input);
    keys = stream;
    // Its types want a whole interface, of which it reads this alone.
    emitKeypressEvents(stream, { escapeCodeTimeout: ESCAPE_MS } as unknown as Parameters<typeof emitKeypressEvents>[1]);
    stream.on('error', () => {});
    stream.setRawMode(true);
    guard.say('on');
    stream.on('keypress', onKeypress);
    output.write(ENTER);
  };
  const leave = (): void => {
    output.write(LEAVE);
    keys?.setRawMode(false);
    keys?.destroy();
    keys = null;
    guard.say('off');
  };
  const suspend = (): void => {
    const isOurs = keys !== null;
    if (isOurs) leave();
    process.once('SIGCONT', () => {
      process.on('SIGTSTP', suspend);
      if (!isOurs) return;
      enter();
      on.onOther();
    });
    process.removeListener('SIGTSTP', suspend);
    // The whole job, as the terminal itself would.
    process.kill(0, 'SIGTSTP');
  };
  const onResize = (): void => on.onOther();

  process.on('SIGTSTP', suspend);
  output.on('resize', onResize);
  enter();
  return {
    size: () => ({ columns: output.columns, rows: output.rows }),
    write: (text) => void (keys === null || output.write(text)),
    lend: async (borrower) => {
      leave();
      try {
        return await borrower();
      } finally {
        enter();
        on.onOther();
      }
    },
    suspend,
    close: async () => {
      process.removeListener('SIGTSTP', suspend);
      output.removeListener('resize', onResize);
      leave();
      guard.say('bye');
      await new Promise<void>((resolve) => void output.write('', () => resolve()));
    },
  };
}

/** A letter is its own name, large or small; what moves the cursor types nothing. */
function asKey(text: string, { name, ctrl, meta }: TypedKey): Key {
  if (ctrl === true) return { name: `ctrl-${name ?? ''}`, text: '' };
  if (name === 'enter') return { name: 'return', text: '' };
  // oxlint-disable-next-line no-control-regex
  const isShown = text !== '' && meta !== true && !/[\u0000-\u001f\u007f-\u009f]/.test(text);
  if (!isShown) return { name: name ?? '', text: '' };
  return { name: text === ' ' ? 'space' : text, text };
}
