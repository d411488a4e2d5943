import { AppError } from '../../../core/model/errors.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { shortLine } from '../../../text/screen/clean.ts';
import { copyToClipboard } from '../../../world/start/run-tool.ts';
import { findTmux } from '../../../world/start/tmux.ts';
import type { Tmux, TmuxPlace } from '../../../world/start/tmux.ts';
import type { Call } from '../../call/handler.ts';
import { INSTALL_TMUX } from './choose-way.ts';

export interface Launched {
  /** Null: it is not started yet; the command starts it. */
  readonly tmux: TmuxPlace | null;
  /** What leads to it: the way into the session, or the launch script. */
  readonly command: string | null;
  readonly clipboard: string | null;
}

export interface LaunchOrder {
  readonly name: string;
  readonly path: string;
  readonly script: string;
  readonly tmux: Tmux | null;
  /** The user chose to have the command, and was told of other ways. */
  readonly isChosen: boolean;
}

/** To start it and to start nothing cannot both be meant. */
export function refuseTwoWays({ flags }: Call): void {
  if (flags['print'] !== true || flags['tmux'] !== true) return;
  throw new AppError('E_USAGE', '--print and --tmux exclude each other', { remedy: 'ralph start --help' });
}

/** The tmux to start in, if that is wished for and there is one. */
export function wishedTmux(call: Call, strategy: 'ask' | 'always' | 'never'): Tmux | null {
  const { flags, env, cwd } = call;
  if (flags['print'] === true || flags['tmux'] === false) return null;
  if (strategy === 'never' && flags['tmux'] !== true) return null;
  return findTmux(env, cwd);
}

/** Starts a launch script in another terminal, or hands it to the user. */
export async function launchBeside(call: Call, order: LaunchOrder): Promise<Launched> {
  const { name, path, script } = order;
  const isWatched = process.stdin.isTTY === true;
  const opened = (await order.tmux?.open({ name, path, script, isWatched })) ?? null;
  if (typeof opened === 'string')
    call.out.say(call.out.style.yellow(`warning: tmux could not start it: ${shortLine(opened, 200)}`));
  const tmux = typeof opened === 'string' ? null : opened;
  const command = tmux === null ? shellWord(script) : tmux.at === 'session' ? tmux.attach : null;
  const clipboard = command === null || call.flags['print'] === true ? null : await copied(call, command);
  return { tmux, command, clipboard };
}

async function copied({ env, cwd, flags }: Call, command: string): Promise<string | null> {
  const terminal = process.stderr.isTTY && flags['json'] !== true ? process.stderr : null;
  return copyToClipboard(command, { env, cwd, terminal });
}

/** Where it is and how to get there. */
export function sayLaunched(call: Call, order: LaunchOrder, { tmux, command, clipboard }: Launched): void {
  const { out } = call;
  if (tmux?.at === 'window')
    return out.say(
      `started ${order.name} in tmux window ${tmux.name}; Ctrl+b n goes to the next window, Ctrl+b p back`,
    );
  if (tmux?.at === 'session') out.say(`started ${order.name} in tmux session ${tmux.name}. To see it:`);
  else out.say(`to start ${order.name}, paste this into another terminal:`);
  // What is to be pasted is data: alone on its line, and alone in a pipe.
  out.data(command ?? '');
  if (clipboard === 'terminal') out.say('the terminal was asked to put it on the clipboard');
  else if (clipboard !== null) out.say(`it is on the clipboard (${clipboard})`);
  if (!order.isChosen && tmux === null && order.tmux === null && findTmux(call.env, call.cwd) === null)
    out.say(`tip: ${INSTALL_TMUX}`);
}
