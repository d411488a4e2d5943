import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HONEST, writeScenario } from '../harness/project.ts';
import { beside } from '../harness/ralph.ts';
import { forgeProject } from './project.ts';

const TOKEN = 'octo-token';

/** Every file that holds the text, below a folder. */
function filesWith(text: string, folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
    .filter((path) => readFileSync(path).includes(text));
}

describe('the token', () => {
  it('A19.12 is in no file, no prompt, no output, no command line, and in the environment of no agent and no gate', async () => {
    const { forge, place, run } = await forgeProject({
      tasks: ['a'],
      config: {
        forge: { token_env: 'MY_FORGE' },
        gates: { commands: ['env > "$HOME/gate-env"', 'test ! -e BROKEN'], pass_env: ['MY_FORGE', 'GH_*'] },
        'agents.scripted': { pass_env: ['MY_FORGE', 'GH_*'] },
      },
    });
    writeScenario(place, {
      agent: [{ env: { path: beside(place, 'agent-env') } }, { prompt: { path: beside(place, 'prompt') } }, ...HONEST],
    });
    const [bin, real] = [beside(place, 'bin'), execFileSync('which', ['git'], { encoding: 'utf8' }).trim()];
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$*" >> '${beside(place, 'git-lines')}'\nexec '${real}' "$@"\n`);
    chmodSync(join(bin, 'git'), 0o755);
    const env = { GH_TOKEN: `${TOKEN}`, MY_FORGE: TOKEN, PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    const said: string[] = [];
    for (const args of [['run', '--events'], ['pr', 'sync'], ['merger'], ['status', '--json'], ['doctor']]) {
      const { stdout, stderr } = await run(args, { env });
      said.push(stdout, stderr);
    }
    // And where the forge refuses it.
    const refused = await run(['pr', 'sync'], { env: { ...env, GH_TOKEN: '', MY_FORGE: `${TOKEN}-wrong` } });
    expect(refused.stderr).toContain('refuses the token');
    said.push(refused.stdout, refused.stderr);
    expect(forge.pulls).toHaveLength(1);
    expect(forge.pulls[0]?.body).not.toContain(TOKEN);
    expect(said.join('\n')).not.toContain(TOKEN);
    for (const name of ['agent-env', 'prompt', 'git-lines'])
      expect(readFileSync(beside(place, name), 'utf8')).not.toBe('');
    expect(readFileSync(beside(place, 'git-lines'), 'utf8')).toContain('push');
    expect(readFileSync(join(place.home, 'gate-env'), 'utf8')).toContain('PATH=');
    expect(filesWith(TOKEN, place.root)).toEqual([]);
  });
});
