import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { cutChars, shortLine } from '../screen/clean.ts';

const NAME_CHARS_MAX = 100;
const BRANCH_CHARS_MAX = 200;
const SLUG_CHARS_MAX = 60;
const SHOWN_CHARS = 60;
/** Everything else means something to a shell, to git or to a file system, or cannot be seen. */
const ALLOWED = /^[\p{L}\p{M}\p{N}._/-]+$/u;

/** A name that folders and branches can carry as it is, in any shell. `command` is what the remedy begins with. */
export function featureName(text: string, command = 'ralph worktree new'): string {
  const name = text.normalize('NFC');
  const why = whyNotAName(name, NAME_CHARS_MAX);
  if (why === null) return name;
  throw new AppError('E_NAME', `${shown(text)} cannot be the name of a feature: ${why}`, {
    remedy: `${command} ${shellWord(slugOf(text))}`,
  });
}

/** The same for a branch that does not exist yet. `remedy`: what makes one of another name. */
export function newBranchName(
  text: string,
  remedy = (name: string): string => `git branch ${shellWord(name)}`,
): string {
  const why = text === 'HEAD' || text.startsWith('refs/') ? 'git gives it another meaning' : null;
  const found = why ?? whyNotAName(text, BRANCH_CHARS_MAX);
  if (found === null) return text;
  throw new AppError('E_NAME', `${shown(text)} cannot be the name of a new branch: ${found}`, {
    remedy: remedy(slugOf(text) === text ? `${text}-1` : slugOf(text)),
  });
}

/** The nearest thing to a text that can be a name. */
export function slugOf(text: string): string {
  const plain = cutChars(text, SLUG_CHARS_MAX * 4)
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N}._]+/gu, '-')
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/-{2,}/g, '-')
    .replaceAll(/^[.-]+/g, '');
  const cut = cutChars(plain, SLUG_CHARS_MAX).replaceAll(/(?:\.lock)*[.-]*$/g, '');
  return whyNotAName(cut, NAME_CHARS_MAX) === null ? cut : 'feature';
}

function whyNotAName(name: string, most: number): string | null {
  if (name === '') return 'it is empty';
  if (name.length > most) return `it is longer than ${most} characters`;
  if (!ALLOWED.test(name)) return 'only letters, digits and . _ - / may be in it';
  if (name.includes('..')) return 'two dots lead elsewhere';
  const parts = name.split('/');
  if (parts.includes('')) return 'a slash belongs between two names';
  if (parts.some((part) => /^[.-]/.test(part))) return 'no part of it may begin with a dot or a dash';
  if (parts.some((part) => /\.(?:lock)?$/i.test(part))) return 'no part of it may end in a dot or in .lock';
  return null;
}

const shown = (text: string): string => JSON.stringify(shortLine(text, SHOWN_CHARS));
