import { execFileSync } from 'node:child_process';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { openTracker } from '../../../src/world/trackers/tracker-file.ts';
import { temporaryFolder } from '../fixtures/process-kit.ts';

/** So that no write is older than the clock of files can tell, however slow this runs. */
const SAME_MOMENT = new Date(Date.now() + 3_600_000);

function tracker() {
  const folder = temporaryFolder();
  execFileSync('git', ['init', '-q', '-b', 'main', folder]);
  const file = join(folder, 'PRD.md');
  const write = (text: string, at = SAME_MOMENT): void => {
    writeFileSync(file, text);
    utimesSync(file, at, at);
  };
  return { write, look: openTracker(findRepository(folder), 'main', 'PRD.md').look };
}

describe('a task file', () => {
  it('that is written twice in one tick of the clock of files is read as it was written last', async () => {
    const { write, look } = tracker();
    write('- [ ] one\n');
    expect(await look()).toMatchObject({ tasks: [{ status: 'open' }] });
    expect(await look(), 'nothing new').toBeNull();
    write('- [x] one\n');
    expect(await look()).toMatchObject({ tasks: [{ status: 'done' }] });
  });

  it('counts once it stays: git takes it away before it writes the new one', async () => {
    const { write, look } = tracker();
    write('- [ ] one\n');
    await look();
    write('');
    expect(await look(), 'git takes it away first').toBeNull();
    write('- [ ] one\n- [ ] two\n', new Date(1_000_000_000_000));
    expect([await look(), (await look()) !== null]).toEqual([null, true]);
  });

  it('with a problem is told of once, and again when it is written again', async () => {
    const { write, look } = tracker();
    write('- [ ] a {#x}\n- [ ] b {#x}\n');
    const first = await look();
    expect(await look()).toBeNull();
    write('- [ ] a {#x}\n- [ ] b {#x}\n', new Date(1_000_000_000_000));
    expect([first !== null, await look(), (await look()) !== null, await look()]).toEqual([true, null, true, null]);
  });
});
