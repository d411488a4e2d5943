import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Sha } from '../../core/model/ids.ts';
import { clearFiles } from '../setup/clear-files.ts';
import { isUntouched } from '../setup/carry-files.ts';
import { listCarried } from '../setup/list-carried.ts';
import { adminDirOf } from '../git/files/worktree-admin.ts';
import { keepWorktree } from '../keep/keep.ts';
import type { KeepPlace } from '../keep/keep.ts';
import { readLoopNote } from '../worktrees/loop-notes.ts';
import type { Provisions } from '../setup/provisions.ts';
import { planSetup } from '../setup/setup-plan.ts';

/**
 * Takes what one loop left ignored out of the way of the next, but for what the project installs and builds, or what is kept on
 * purpose. What is worth keeping of it (`keep.ignored`), and is no copy of ours, is kept first.
 */
export async function clearRetired(place: KeepPlace, provisions: Provisions, path: string, commit: Sha): Promise<void> {
  const { repo, view, ignored } = place;
  const { settings, files } = provisions;
  const adminDir = adminDirOf(repo, path);
  const index = join(adminDir ?? repo.commonDir, 'index');
  for (const file of files) if (isUntouched(path, file)) rmSync(join(path, file.path), { force: true });
  const worth = await listCarried(view, path, index, { copy: ignored });
  if (worth.length > 0) {
    const loop = adminDir === null ? null : (readLoopNote(adminDir)?.loop ?? null);
    await keepWorktree(place, { path, loop, act: 'reuse', why: 'its worktree was given to another loop' });
  }
  await clearFiles({ cwd: path }, (await planSetup(repo, settings, commit)).kept.loops);
}
