import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { expect, it } from 'vitest';

import { ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { claudeLines, fakeProgram } from '../harness/shell-agent.ts';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../../docs/guide/getting-started.md'), 'utf8');
const FENCE = /^```(\w+)\n([\s\S]*?)^```$/gm;
const fences = [...PAGE.matchAll(FENCE)].map(([, language, text]) => ({ language, text: text ?? '' }));
const fence = (language: string): string => fences.find((one) => one.language === language)?.text ?? '';

/** The commands of the page in their order, without installing paralph itself. */
const COMMANDS = fences
  .filter(({ language }) => language === 'sh')
  .flatMap(({ text }) => text.trim().split('\n'))
  .filter((line) => /^(?:ralph|git log) [^|]*$/.test(line));

/** Works as a client called claude would: reads the prompt, makes one file for it, says that it is done. */
const AGENT = `
[ "$1" = --version ] && { echo '2.1.325 (Claude Code)'; exit 0; }
prompt=$(cat)
case "$prompt" in *"Task json"*) echo json > export.txt;; *) echo 'export --json' >> README.md;; esac
git add -A
git commit -q -m 'do what was asked'
${claudeLines('<promise>COMPLETE</promise>', 0.01)}
`;

it('a newcomer who types what the page says has both tasks on main', async () => {
  const one = scratch();
  const bin = fakeProgram(one, 'claude', AGENT);
  const env = { PATH: `${bin}:${one.env['PATH']}`, COLUMNS: '100', IS_SANDBOX: '1' };
  one.put('package.json', '{ "name": "my-project", "private": true, "scripts": { "test": "node -e 0" } }\n');
  one.put('PRD.md', fence('markdown'));
  one.git('add', '-A');
  one.git('commit', '-q', '-m', 'two tasks');
  expect(COMMANDS).toHaveLength(6);
  for (const command of COMMANDS) {
    const [program = '', ...args] = command.split(' ');
    if (program === 'git') continue;
    const { code, stdout, stderr } = await ralph(one, args, { env });
    expect(code, `${command}\n${stdout}\n${stderr}`).toBe(0);
    if (args[0] !== 'init') continue;
    // What the page says to check in the file that init wrote: here the newcomer writes just that.
    expect(readFileSync(join(one.repo, 'ralph.toml'), 'utf8')).toContain('[gates]');
    one.put('ralph.toml', fence('toml'));
  }
  expect(one.git('show', 'main:export.txt')).toBe('json');
  expect(one.git('show', 'main:PRD.md')).toMatch(/- \[x\] Add a --json[\s\S]*- \[x\] Say in the README/);
  expect(one.git('log', '--first-parent', '--format=%s', '-2', 'main')).toMatch(/json|README/);
});
