import { cleanLine, cutChars } from './clean.ts';

const CHARS_MAX = 200;
const [ESC, BEL] = ['\u001b', '\u0007'];

/** What a terminal makes a note on the desktop of: OSC 9, 777 or 99, by what is known of it; empty: it shows none. */
export function terminalNote(env: Readonly<Record<string, string | undefined>>, title: string, body: string): string {
  const term = env['TERM'] ?? '';
  if (term === '' || term === 'dumb' || term === 'linux') return '';
  const [head, text] = [inert(`ralph: ${title}`), inert(body)];
  const note = noteFor(env, term, head, text);
  // tmux hands on only what is wrapped, with each escape in it twice.
  return env['TMUX'] === undefined || env['TMUX'] === ''
    ? note
    : `${ESC}Ptmux;${note.replaceAll(ESC, ESC + ESC)}${ESC}\\`;
}

function noteFor(env: Readonly<Record<string, string | undefined>>, term: string, head: string, text: string): string {
  const name = `${env['TERM_PROGRAM'] ?? ''} ${env['LC_TERMINAL'] ?? ''} ${term}`.toLowerCase();
  if (env['KITTY_WINDOW_ID'] !== undefined || name.includes('kitty'))
    return `${ESC}]99;i=ralph:d=0;${head}${ESC}\\${ESC}]99;i=ralph:d=1:p=body;${text}${ESC}\\`;
  if (/rxvt|foot|vte|gnome/.test(name) || env['VTE_VERSION'] !== undefined)
    return `${ESC}]777;notify;${head.replaceAll(';', ',')};${text.replaceAll(';', ',')}${BEL}`;
  // It begins with a word of ours: digits and a semicolon would be another command of some terminals.
  return `${ESC}]9;${head}${BEL}`;
}

const inert = (text: string): string => cutChars(cleanLine(text), CHARS_MAX);
