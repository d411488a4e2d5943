import type { WriteStream } from 'node:tty';
import type { LoopId } from '../../core/model/ids.ts';
import { cleanLine, cleanText } from '../../text/screen/clean.ts';
import { copyToClipboard, runTool } from '../../world/start/run-tool.ts';
import { talkToAgent } from '../../world/start/talk-to-agent.ts';
import type { RunFacts, Standpoint } from './model.ts';
import { pageOf, textRow } from './page.ts';
import type { Wish } from './pressed.ts';
import type { Screen } from './terminal.ts';

/** A landing may take as long as its gates. */
const COMMAND_MS = 6 * 3_600_000;
/** Beside the text there is a sign at the left. */
const MARGIN = 4;

export interface CommandPlace {
  readonly output: WriteStream;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** What a wish may look at and change. */
export interface Desk {
  readonly place: CommandPlace;
  readonly stand: () => Standpoint;
  readonly facts: () => RunFacts;
  readonly screen: () => Screen;
  readonly go: (to: Partial<Standpoint>) => void;
  readonly note: (text: string, isBad: boolean) => void;
  readonly read: () => Promise<void>;
  readonly redraw: () => void;
  readonly leave: () => void;
}

/** Does what keys want done. Whatever changes something is a command in a process of its own, as if it had been typed, which goes on without us. */
export function openGrants(desk: Desk): (wish: Wish) => Promise<void> {
  return async (wish) => {
    switch (wish.do) {
      case 'leave':
        return desk.leave();
      case 'suspend':
        return desk.screen().suspend();
      case 'redraw':
        return desk.redraw();
      case 'read':
        return desk.read();
      case 'command':
        return command(desk, wish);
      case 'shell':
        return shellIn(desk, wish.loop);
      case 'copy':
        return copy(desk, wish.text);
    }
  };
}

type Command = Extract<Wish, { do: 'command' }>;

async function command({ place, stand, screen, go, note, read }: Desk, { words, input, show }: Command): Promise<void> {
  const { env, cwd } = place;
  const title = `ralph ${words.join(' ')}`;
  note(`${title} ...`, false);
  const argv = [process.execPath, process.argv[1] ?? '', ...words];
  const plain = { ...env, NO_COLOR: '1', COLUMNS: String(screen().size().columns - MARGIN) };
  const { ok, stdout, stderr } = await runTool(argv, { env: plain, cwd, timeoutMs: COMMAND_MS, input, goesOn: true });
  if (ok && input !== null) go({ comments: stand().comments.filter(({ loop }) => loop !== words[1]) });
  if (show === 'note') {
    note(lastSaid(`${stdout}\n${stderr}`, ok), !ok);
    return stand().screen.at === 'loop' ? read() : undefined;
  }
  const lines = cleanText(`${stdout}${stderr}`).trimEnd().split('\n');
  const page = pageOf(lines.map((line) => textRow(line.replaceAll('\t', '  '))));
  go({ screen: { at: 'text', title }, page, note: null });
}

async function shellIn({ place: { output, env }, facts, screen, note }: Desk, loop: LoopId): Promise<void> {
  const path = facts().state.loops[loop]?.worktree ?? null;
  if (path === null) return note(`${loop} has no worktree now`, true);
  await screen().lend(async () => {
    output.write(`a shell in ${path}; exit leads back\n`);
    await talkToAgent({ argv: [env['SHELL'] ?? '/bin/sh'], cwd: path, env });
  });
}

async function copy({ place: { env, cwd, output }, note }: Desk, text: string): Promise<void> {
  const by = await copyToClipboard(text, { env, cwd, terminal: output });
  note(by === null ? 'there is no clipboard to copy to' : `copied: ${text}`, by === null);
}

/** Of what a command said the line that counts: what went wrong, with what mends it, or how it ended. */
function lastSaid(text: string, ok: boolean): string {
  const lines = text
    .split('\n')
    .map(cleanLine)
    .filter((line) => line !== '');
  if (ok) return lines.at(-1) ?? 'done';
  const wrong = lines.find((line) => line.startsWith('error')) ?? lines.at(-1) ?? 'it failed';
  const mends = lines.find((line) => line.startsWith('fix:'));
  return mends === undefined ? wrong : `${wrong}   ${mends}`;
}
