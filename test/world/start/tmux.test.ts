import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findTmux } from '../../../src/world/start/tmux.ts';
import { itNeeds } from '../../needs.ts';
import { until } from '../../e2e/harness/until.ts';

const hasTmux = spawnSync('tmux', ['-V']).status === 0;
const ODD = `a b'#(touch canary)$(touch canary)#{pane_id};`;

/** A tmux server of its own, with a script in a folder of a hostile name. */
function scene() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-tmux-')));
  const path = join(root, ODD);
  mkdirSync(path);
  const script = join(path, 'start x.sh');
  writeFileSync(script, 'pwd > out.tmp; printf "%s\\n" "$TMUX" "$ONLY_HERE" "$PATH" >> out.tmp; mv out.tmp out\n');
  chmodSync(script, 0o755);
  const env = {
    PATH: `${process.env['PATH']}:/added;`,
    HOME: root,
    TMUX_TMPDIR: root,
    SHELL: '/bin/cat',
    LANG: 'C.UTF-8',
  };
  const tmux = (...args: string[]) => spawnSync('tmux', args, { env, encoding: 'utf8' }).stdout.trim();
  onTestFinished(() => {
    tmux('kill-server');
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  const out = () =>
    until('the script has run', () => (existsSync(join(path, 'out')) ? readFileSync(join(path, 'out'), 'utf8') : null));
  return { root, path, env, tmux, out, order: { name: 'team/auth.v2', path, script, isWatched: true } };
}

describe('tmux', () => {
  it('that is not there is none', () => {
    expect(findTmux({ PATH: '/nowhere' }, '/')).toBeNull();
  });

  itNeeds('tmux', hasTmux)(
    'outside of it a session of its own is made, under a free name, with the way to it',
    async () => {
      const { root, path, env, tmux, out, order } = scene();
      const found = findTmux(env, root);
      if (found === null) throw new Error('there is none');
      expect(found.isInside).toBe(false);
      const wanted = { at: 'session', name: 'team-auth-v2', attach: 'tmux attach -t team-auth-v2' };
      expect(await found.open(order)).toEqual(wanted);
      const [cwd, within, , search] = (await out()).split('\n');
      expect([cwd, within !== '', search]).toEqual([path, true, env.PATH]);
      expect(await found.open(order)).toMatchObject({ name: 'team-auth-v2-2' });
      expect(tmux('list-sessions', '-F', '#{session_name} #{pane_current_path}').split('\n')).toEqual([
        `team-auth-v2 ${path}`,
        `team-auth-v2-2 ${path}`,
      ]);
      for (const folder of [root, path, process.cwd(), '/']) expect(existsSync(join(folder, 'canary'))).toBe(false);
    },
  );

  itNeeds('tmux', hasTmux)('inside of it a window is made, and where its server is gone that is said', async () => {
    const { root, path, env, tmux, out, order } = scene();
    tmux('new-session', '-d', '-s', 'work', '/bin/cat', '-');
    const inside = { ...env, TMUX: `${tmux('display-message', '-p', '-t', 'work', '#{socket_path},#{pid},0')}` };
    expect(await findTmux(inside, root)?.open(order)).toEqual({ at: 'window', name: 'team-auth-v2' });
    expect((await out()).split('\n')[0]).toBe(path);
    expect(tmux('list-windows', '-F', '#{window_active} #{window_name}')).toContain('1 team-auth-v2');
    expect(await findTmux(inside, root)?.open({ ...order, name: 'quiet', isWatched: false })).toMatchObject({
      at: 'window',
    });
    expect(tmux('list-windows', '-F', '#{window_active} #{window_name}')).toContain('0 quiet');
    tmux('kill-server');
    expect(await findTmux(inside, root)?.open(order)).toEqual(expect.any(String));
    for (const folder of [root, path, process.cwd(), '/']) expect(existsSync(join(folder, 'canary'))).toBe(false);
  });
});
