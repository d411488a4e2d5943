import type { Scene } from './scene.ts';
import type { Programs, Ran } from './start.ts';
import { describe, start } from './start.ts';

/** What a person starts in their checkout; its loop is called after it. */
export const IN_PLACE_RUN = ['run', 'in place'] as const;
const CONTINUE = ['run', '--continue'] as const;
const LATER_MAX = 3;

interface Row {
  readonly id: string;
  readonly state: string;
}

/** The person goes on with their loop until it has landed: an error, a full disk or a death is no reason not to. */
export async function endInPlace(
  scene: Scene,
  programs: Programs,
  met: Ran,
): Promise<{ readonly violations: readonly string[]; readonly notes: readonly string[] }> {
  const violations: string[] = [];
  const notes: string[] = [];
  let last = met;
  for (let later = 1; last.code !== 0 && later <= LATER_MAX; later += 1) {
    // It may have died before anybody knew of a loop.
    const words = (await rowsOf(scene, programs)).length === 0 ? IN_PLACE_RUN : CONTINUE;
    last = await start(scene, [programs.main, ...words], '');
    notes.push(`then ${describe(last)}`);
    if (later > 1) violations.push(`run ${later} after it had something to do: ${last.said.slice(-800)}`);
  }
  const rows = await rowsOf(scene, programs);
  const [row] = rows;
  if (rows.length !== 1 || row?.state !== 'landed')
    violations.push(`the loop has not landed: ${rows.map(({ id, state }) => `${id} is ${state}`).join(', ')}`);
  else if (scene.git('show', 'main:in-place.txt') !== 'made\nmore') violations.push('main lacks what its agent made');
  // Compared with the user's file before they began: theirs is in no commit of the loop's.
  const swept = scene.git(
    'diff',
    '--name-only',
    'main~1',
    'main',
    '--',
    'notes.txt',
    'mine.txt',
    'staged.txt',
    '.gitignore',
  );
  if (swept !== '') violations.push(`what is the user's landed: ${swept}`);
  return { violations, notes };
}

async function rowsOf(scene: Scene, { main }: Programs): Promise<readonly Row[]> {
  const { code, said } = await start(scene, [main, 'loops', 'list', '--all', '--json'], '');
  return code === 0 ? (JSON.parse(said) as { readonly loops: readonly Row[] }).loops : [];
}
