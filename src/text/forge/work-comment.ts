import { cleanLine } from '../trackers/clean.ts';
import { mark, readMark } from './marks.ts';

/** How far the work on an issue is, as the one comment about it tells. */
export interface Work {
  /** free: nobody works on it any more. */
  readonly phase: 'working' | 'committed' | 'merged' | 'free';
  /** `<run>/<loop>`. */
  readonly actor: string;
}

export const isAtWork = ({ phase }: Work): boolean => phase === 'working' || phase === 'committed';

const WORK = /^work:(working|committed|merged|free):(.+)$/;

/** Null: the text says nothing of our work. */
export function readWork(text: string): Work | null {
  const [, phase, actor] = WORK.exec(readMark(text) ?? '') ?? [];
  return phase === undefined || actor === undefined ? null : { phase: phase as Work['phase'], actor };
}

export interface WorkText extends Work {
  readonly branch: string;
  readonly attempt: number;
  /** What came of it. */
  readonly detail: string;
}

/** The one comment that an issue gets; each phase is an edit of it. */
export function workComment({ phase, actor, branch, attempt, detail }: WorkText): string {
  const loop = actor.split('/').at(-1) ?? actor;
  const at = branch === '' ? '' : `, branch \`${cleanLine(branch)}\``;
  const says: Readonly<Record<Work['phase'], string>> = {
    working: `Loop \`${loop}\` works on this (attempt ${attempt}${at}).`,
    committed: `Loop \`${loop}\` is done with this and waits to land (attempt ${attempt}${at}).`,
    merged: `${cleanLine(detail)} (loop \`${loop}\`).`,
    free: `Loop \`${loop}\` gave this back: ${cleanLine(detail)}${at === '' ? '' : `. What it made is kept${at}`}.`,
  };
  return `${says[phase]}\n\n${mark(`work:${phase}:${actor}`)}\n`;
}
