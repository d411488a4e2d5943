import { afterEach, describe, expect, it } from 'vitest';
import { armFailpoints, FAILPOINTS, reach, reachLog } from './failpoint.ts';

afterEach(() => armFailpoints(''));

describe('a failpoint', () => {
  it('does nothing unless it is armed', () => {
    armFailpoints('land.done=throw');
    expect(() => reach('land.synced')).not.toThrow();
    expect(() => reach('land.done')).toThrow('failpoint land.done');
  });

  it('acts at one arrival only, the first unless told otherwise', () => {
    armFailpoints('wt.done#2=throw; iter.start=throw');
    expect(() => reach('wt.done')).not.toThrow();
    expect(() => reach('wt.done')).toThrow('failpoint wt.done');
    expect(() => reach('wt.done')).not.toThrow();
    expect(() => reach('iter.start')).toThrow('failpoint iter.start');
    expect(() => reach('iter.start')).not.toThrow();
  });

  it('fails like a full disk', () => {
    armFailpoints('log.append.linked=enospc');
    expect(() => reachLog('append:linked')).toThrow(expect.objectContaining({ code: 'ENOSPC', syscall: 'write' }));
  });

  it.each(['land.don=kill', 'land.done=burn', 'land.done', 'land.done#0=kill', 'x'])(
    'refuses %s with the list',
    (text) => {
      expect(() => armFailpoints(text)).toThrow(text);
      expect(() => armFailpoints(text)).toThrow(FAILPOINTS.join(' '));
      expect(() => armFailpoints(text)).toThrow('kill throw enospc stop');
    },
  );
});
