import { basename, join } from 'node:path';
import { isSameFile } from './git-files.ts';
import type { GitFile } from './git-files.ts';
import { putBackFile } from './restore-files.ts';
import type { Finding, Scene } from './scene.ts';

/** Hooks, and the files in `info/`, that the agent wrote for everybody. The config has a judge of its own. */
export function findGitFiles(scene: Scene): readonly Finding[] {
  const { before, after, place } = scene;
  const names = new Set([...Object.keys(before.files), ...Object.keys(after.files)]);
  return [...names].flatMap((name) => {
    const [old, now] = [before.files[name], after.files[name]];
    if (name.startsWith('config') || isSameFile(old, now)) return [];
    const file = join(place.repo.commonDir, name);
    const isTold = scene.told([file, `/${name}`]) || scene.programmed(file);
    if (!isTold && !isSuspect(scene, name, now)) return [];
    const verb = now === undefined ? 'removed' : old === undefined ? 'made' : 'changed';
    const isRun = now !== undefined && isExecutable(now);
    const keep =
      now?.copy == null ? [] : [{ path: `git/${name}`, bytes: Buffer.from(now.copy, 'base64'), isExecutable: isRun }];
    const restore = (): Promise<string | null> => Promise.resolve(putBackFile(file, old, now) ? `.git/${name}` : null);
    // A person may have done it, while only one agent was at work: they are told, and nothing of theirs is undone.
    const did = isTold
      ? `${verb} .git/${name}`
      : `${verb} .git/${name}, unless you did: no other loop was at work then`;
    return [{ did, keep, restore: isTold ? restore : null }];
  });
}

const isExecutable = ({ mode }: GitFile): boolean => (mode & 0o111) !== 0;

/** Git would run it, or run other things by it; and there is only one of ours who could have written it. */
function isSuspect(scene: Scene, name: string, now: GitFile | undefined): boolean {
  if (now === undefined || now.mtimeMs < scene.fromMs || now.mtimeMs > scene.toMs) return false;
  const isHook = name.startsWith('hooks/') && isExecutable(now) && /^[a-z0-9-]+$/.test(basename(name));
  return (isHook || name === 'info/attributes' || name === 'info/grafts') && scene.isAlone(now.mtimeMs);
}
