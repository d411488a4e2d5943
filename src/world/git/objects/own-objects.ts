import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { keepFile, keepLink } from '../run/keep-entry.ts';
import type { Repository } from '../run/repository.ts';
import { fileNow, trustOf } from '../run/trust.ts';

const FOLDERS = ['pack', ...Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))];

/**
 * Variables under which git finds the objects of the repository and of the alternates it had before the run, and no others: what is
 * only behind alternates written since is gone with them. To read alone.
 */
export function ownObjects(repo: Repository): Readonly<Record<string, string>> {
  const objects = join(repo.commonDir, 'objects');
  const folder = join(repo.stateDir, 'own-objects');
  mkdirSync(join(folder, 'info'), { recursive: true, mode: 0o700 });
  for (const name of FOLDERS) keepLink(join(folder, name), join(objects, name));
  const trust = trustOf(repo.commonDir);
  const listed =
    trust === null ? fileNow(repo.commonDir, 'objects/info/alternates') : trust.files['objects/info/alternates'];
  keepFile(join(folder, 'info/alternates'), Buffer.from(absolute(listed ?? '', objects), 'latin1'));
  return { GIT_OBJECT_DIRECTORY: folder };
}

/** Paths in it count from the objects beside it. */
const absolute = (listed: string, objects: string): string =>
  listed
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(
      (line) => `${line.startsWith('"') ? line : latin1(resolve(objects, Buffer.from(line, 'latin1').toString()))}\n`,
    )
    .join('');

const latin1 = (path: string): string => Buffer.from(path).toString('latin1');
