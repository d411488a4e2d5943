import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../core/errors.ts';
import { shellWord } from '../../core/remedy.ts';
import { splitWords } from '../../text/split-words.ts';

export interface EditedCopy {
  readonly file: string;
  readonly text: string;
  /** Once nothing of it is needed any more. */
  readonly remove: () => void;
}

/** Opens the user's editor on a copy that only they can read, and waits until it is closed. */
export async function editCopy(text: string, env: NodeJS.ProcessEnv): Promise<EditedCopy> {
  const editor = editorOf(env);
  const folder = mkdtempSync(join(tmpdir(), 'ralph-memories-'));
  const file = join(folder, 'memories.md');
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  try {
    await runEditor(editor, file, env);
  } catch (error) {
    if (readFileSync(file, 'utf8') === text) remove();
    throw error;
  }
  return { file, text: readFileSync(file, 'utf8'), remove };
}

/** An argv: the user's words are parted, never given to a shell. */
function editorOf(env: NodeJS.ProcessEnv): readonly string[] {
  const named = ['VISUAL', 'EDITOR'].find((name) => (env[name] ?? '').trim() !== '');
  if (named === undefined) return ['vi'];
  const words = splitWords(env[named] ?? '');
  if (words !== null && words.length > 0) return words;
  throw new AppError('E_USAGE', `${named} has a quote that is left open`, { remedy: `export ${named}=vi` });
}

async function runEditor(
  [program = '', ...args]: readonly string[],
  file: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const code = await new Promise<number | null>((resolve, reject) => {
    const child = spawn(program, [...args, file], { stdio: 'inherit', env });
    child.on('error', (cause: NodeJS.ErrnoException) =>
      reject(
        new AppError('E_PROCESS', `the editor ${program} cannot be started: ${cause.code ?? cause.message}`, {
          remedy: 'EDITOR=vi ralph memory edit',
          cause,
        }),
      ),
    );
    child.on('close', resolve);
  });
  if (code === 0) return;
  throw new AppError('E_PROCESS', `the editor ${program} ended with ${code ?? 'a signal'}; nothing is changed`, {
    remedy: `ralph memory edit --file ${shellWord(file)}`,
  });
}
