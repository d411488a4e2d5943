import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';

import { afterAll } from 'vitest';

import type { Scratch } from './scratch.ts';
import { scratch } from './scratch.ts';

/** A scene many tests begin with: made once, and laid out again at the same place for each, as git keeps paths in files. */
export function savedScene(make: (one: Scratch) => Promise<unknown>): () => Promise<Scratch> {
  let saved: { readonly root: string; readonly copy: string } | null = null;
  afterAll(() => {
    if (saved !== null) rmSync(saved.copy, { recursive: true, force: true });
  });
  return async () => {
    if (saved !== null) return scratch({ saved });
    const one = scratch();
    await make(one);
    const copy = `${one.root}-saved`;
    execFileSync('cp', ['-a', one.root, copy]);
    saved = { root: one.root, copy };
    return one;
  };
}
