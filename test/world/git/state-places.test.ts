import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ensureRalphFolderIn } from '../../../src/world/git/run/state-places.ts';

const root = mkdtempSync(join(tmpdir(), 'state-places-'));
afterAll(() => rmSync(root, { recursive: true }));

describe('the folder for people', () => {
  it('hides itself from git, and is told as what is in the way where it cannot be made', () => {
    const [free, taken] = [join(root, 'free'), join(root, 'taken')];
    for (const folder of [free, taken]) mkdirSync(folder);
    for (let times = 0; times < 2; times += 1) ensureRalphFolderIn(free);
    expect(readFileSync(join(free, '.ralph/.gitignore'), 'utf8')).toBe('*\n');
    writeFileSync(join(taken, '.ralph'), 'mine\n');
    expect(() => ensureRalphFolderIn(taken)).toThrow(expect.objectContaining({ code: 'E_STATE_UNWRITABLE' }));
    expect(readFileSync(join(taken, '.ralph'), 'utf8')).toBe('mine\n');
  });
});
