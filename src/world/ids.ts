import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from './git/run/repository.ts';
import type { Ids } from './contract/world.ts';

// No vowels and no look-alikes: a suffix spells nothing and can be read aloud.
const LETTERS = 'bcdfghjkmnpqrstvwxz23456789';
const SUFFIX_CHARS = 4;

export function realIds(repo: Repository): Ids {
  return {
    suffix: () => Array.from(randomBytes(SUFFIX_CHARS), (byte) => LETTERS[byte % LETTERS.length]).join(''),
    // Also where branches below that name leave no room for it.
    isFree: (branch) => {
      const [ref, packed] = [`refs/heads/${branch}`, packedRefs(repo)];
      return !existsSync(join(repo.commonDir, ref)) && !packed.includes(` ${ref}\n`) && !packed.includes(` ${ref}/`);
    },
  };
}

/** As bytes: names in it may be no UTF-8. */
function packedRefs(repo: Repository): Buffer {
  try {
    return readFileSync(join(repo.commonDir, 'packed-refs'));
  } catch {
    return Buffer.alloc(0);
  }
}
