import { describe, expect, it } from 'vitest';
import { AppError } from '../../core/model/errors.ts';
import { isDiskFull } from './disk-full.ts';
import { mayBeWrittenLater, wantOf } from './want.ts';

const failed = (code: string): Error => Object.assign(new Error(`${code}: write`), { code });

describe('a full disk', () => {
  it('is known by the system’s word for it, however deep', () => {
    for (const code of ['ENOSPC', 'EDQUOT']) {
      expect(isDiskFull(failed(code))).toBe(true);
      expect(isDiskFull(new AppError('E_PROCESS', 'x', { cause: new Error('y', { cause: failed(code) }) }))).toBe(true);
    }
    for (const other of [failed('EACCES'), failed('EIO'), new AppError('E_DISK', 'files may not grow'), 'ENOSPC', null])
      expect(isDiskFull(other)).toBe(false);
  });

  it('is known by what git says of it', () => {
    const saying = (fact: string): AppError => new AppError('E_GIT', 'git add failed', { facts: [fact, 'in /x'] });
    expect(isDiskFull(saying('fatal: sha1 file write error: No space left on device'))).toBe(true);
    expect(isDiskFull(saying('error: unable to write file: Disk quota exceeded'))).toBe(true);
    expect(isDiskFull(saying("fatal: sha1 file 'index.lock' write error. Out of diskspace"))).toBe(true);
    expect(isDiskFull(saying("fatal: cannot update ref 'x': couldn't write 'x.lock'"))).toBe(true);
    expect(isDiskFull(saying('error: unable to create file x: Permission denied'))).toBe(false);
    expect(isDiskFull(saying('fatal: bad object'))).toBe(false);
  });

  it('is as much worth waiting for as a flush that failed', () => {
    expect(mayBeWrittenLater(failed('EIO'))).toBe(true);
    expect(mayBeWrittenLater(failed('ENOSPC'))).toBe(true);
    expect(mayBeWrittenLater(failed('EROFS'))).toBe(false);
  });

  it('is one want among others', () => {
    expect(wantOf(new AppError('E_PROCESS', 'x', { cause: failed('EAGAIN') }))).toBe('processes');
    for (const code of ['EMFILE', 'ENFILE']) expect(wantOf(failed(code))).toBe('files');
    expect(wantOf(failed('ENOSPC'))).toBe('disk');
    const said = (fact: string) => wantOf(new AppError('E_GIT', 'git add failed', { facts: [fact] }));
    expect(said('fatal: cannot fork() for index-pack: Resource temporarily unavailable')).toBe('processes');
    expect(said("error: open('x'): Too many open files")).toBe('files');
    for (const other of [failed('EACCES'), 'EAGAIN', null]) expect(wantOf(other)).toBeNull();
  });

  it('does not run in circles', () => {
    const error = new Error('round');
    error.cause = error;
    expect(isDiskFull(error)).toBe(false);
  });
});
