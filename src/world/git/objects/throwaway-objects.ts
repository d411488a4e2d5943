import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ProcessIdentity, isAlive, ownIdentity } from '../../processes/identity.ts';
import type { Repository } from '../run/repository.ts';

const PREFIX = 'objects-';

/** A place for objects nobody will want again: the repository's own are read, none are added to them. */
export interface ThrowawayObjects {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

export function openThrowaway(repo: Repository): ThrowawayObjects {
  const all = join(repo.stateDir, 'tmp');
  mkdirSync(all, { recursive: true });
  removeDead(all);
  const by = Buffer.from(JSON.stringify(ownIdentity())).toString('base64url');
  const folder = join(all, `${PREFIX}${by}.${randomUUID()}`);
  const objects = join(folder, 'objects');
  mkdirSync(join(objects, 'info'), { recursive: true, mode: 0o700 });
  // As a file, for in a variable a colon in the path would end it.
  writeFileSync(join(objects, 'info/alternates'), `${join(repo.commonDir, 'objects')}\n`);
  return {
    folder,
    env: { GIT_OBJECT_DIRECTORY: objects },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** What killed processes could not remove themselves. */
function removeDead(all: string): void {
  for (const name of readdirSync(all)) {
    const by = name.startsWith(PREFIX) ? name.slice(PREFIX.length).split('.')[0] : undefined;
    if (by !== undefined && !livesStill(by)) rmSync(join(all, name), { recursive: true, force: true });
  }
}

function livesStill(by: string): boolean {
  try {
    return isAlive(JSON.parse(Buffer.from(by, 'base64url').toString()) as ProcessIdentity);
  } catch {
    return false;
  }
}
