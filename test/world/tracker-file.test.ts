import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTracker } from '../../src/world/tracker-file.ts';
import { temporaryFolder } from './fixtures/process-kit.ts';

/** So that no write is older than the clock of files can tell, however slow this runs. */
const SAME_MOMENT = new Date(Date.now() + 3_600_000);

function tracker() {
  const folder = temporaryFolder();
  const file = join(folder, 'PRD.md');
  const write = (text: string, at = SAME_MOMENT): void => {
    writeFileSync(file, text);
    utimesSync(file, at, at);
  };
  return { write, look: openTracker(folder, 'PRD.md').look };
}

describe('a task file', () => {
  it('that is written twice in one tick of the clock of files is read as it was written last', () => {
    const { write, look } = tracker();
    write('- [ ] one\n');
    expect(look()).toMatchObject({ tasks: [{ status: 'open' }] });
    expect(look(), 'nothing new').toBeNull();
    write('- [x] one\n');
    expect(look()).toMatchObject({ tasks: [{ status: 'done' }] });
  });

  it('with a problem is told of once', () => {
    const { write, look } = tracker();
    write('- [ ] a {#x}\n- [ ] b {#x}\n');
    const first = look();
    expect(look()).toBeNull();
    write('- [ ] a {#x}\n- [ ] b {#x}\n', new Date(1_000_000_000_000));
    expect([first !== null, look() !== null, look()]).toEqual([true, true, null]);
  });
});
