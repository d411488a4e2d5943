import { join } from 'node:path';
import { EXIT } from '../../../core/model/errors.ts';
import type { ExitCode } from '../../../core/model/errors.ts';
import { runGit } from '../../../world/git/run/run-git.ts';
import { withScratchFolder, writeFiles } from '../../../world/start/first-look.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { playCrashes } from '../../../world/start/crash-show.ts';
import { talkToAgent } from '../../../world/start/talk-to-agent.ts';
import type { Call, Handler } from '../../call/handler.ts';

/** The whole job on a scratch repository: three loops at once, a conflict, a red branch, a liar; then what is on main. */
export const handle: Handler = (call) =>
  withScratchFolder('paralph-demo-', call.flags['keep'] === true, (folder) =>
    call.flags['crash'] === true ? crash(call, folder) : show(call, folder),
  );

/** Seven ways in which an orchestrator dies, and what the next start makes of them. */
async function crash(call: Call, folder: string): Promise<ExitCode> {
  call.out.say('Seven situations, each in a repository of its own. Agents are scripted, kills are real.\n');
  const program = [process.execPath, process.argv[1] ?? ''];
  const isWell = await playCrashes(folder, { program, env: withoutOurs(call.env) }, ({ n, name, wrong }) =>
    call.out.data(
      `${wrong === null ? 'recovered' : 'FAILED   '} ${n}  ${name}${wrong === null ? '' : `: ${cleanLine(wrong)}`}`,
    ),
  );
  call.out.say(isWell ? '\nAll recovered: each task landed exactly once.' : '\nNot all recovered.');
  if (call.flags['keep'] === true) call.out.say(`kept: ${folder}`);
  return isWell ? EXIT.ok : EXIT.bug;
}

async function show(call: Call, folder: string): Promise<ExitCode> {
  const repo = join(folder, 'repo');
  const main = process.argv[1] ?? '';
  await makeRepository(folder, repo);
  call.out.say(
    `A scratch repository with ${DEMO_PRD.split('\n').filter((line) => line.startsWith('- [ ]')).length} tasks, three loops at once. The agents are scripted: no key, no network.\n`,
  );
  call.out.say('$ cat PRD.md');
  call.out.data(DEMO_PRD);
  call.out.say('$ ralph run --parallel --max-workers 3');
  const code = await ralph(call, main, repo, ['run', '--parallel', '--max-workers', '3']);
  call.out.say('\n$ git log --oneline --first-parent main');
  call.out.data((await runGit(['log', '--oneline', '--first-parent', 'main'], { cwd: repo })).stdout.trimEnd());
  call.out.say('\n$ sh check.sh   # the gate, on main as it is now');
  const gate = await runGit(['-c', 'alias.gate=!sh check.sh', 'gate'], { cwd: repo, ok: [0, 1] });
  call.out.data(gate.code === 0 ? 'green' : 'red');
  const asExpected = code === EXIT.parked && gate.code === 0;
  call.out.say(
    asExpected
      ? '\nMain is green. Everything that passes its gates has landed; the rest is parked, kept and explained above.'
      : `\nunexpected: ralph run exited with ${code}`,
  );
  if (call.flags['keep'] === true) call.out.say(`kept: ${repo}`);
  return asExpected ? EXIT.ok : EXIT.bug;
}

async function makeRepository(folder: string, repo: string): Promise<void> {
  writeFiles(folder, { 'agent.sh': DEMO_AGENT });
  writeFiles(repo, {
    ...DEMO_FILES,
    'PRD.md': DEMO_PRD,
    'check.sh': DEMO_CHECK,
    'ralph.toml': demoConfig(['sh', join(folder, 'agent.sh')]),
  });
  await runGit(['init', '-q', '-b', 'main'], { cwd: repo });
  await runGit(['config', 'user.name', 'Demo'], { cwd: repo });
  await runGit(['config', 'user.email', 'demo@localhost'], { cwd: repo });
  await runGit(['add', '-A'], { cwd: repo });
  await runGit(['commit', '-q', '-m', 'Start'], { cwd: repo });
}

function ralph(call: Call, main: string, cwd: string, args: readonly string[]): Promise<number> {
  return talkToAgent({ argv: [process.execPath, main, ...args], cwd, env: withoutOurs(call.env) });
}

const withoutOurs = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^(?:RALPH|GIT)_/.test(name)));

/** The demo's repository: a tiny shell program, a gate, and tasks of every kind of outcome. */
const DEMO_PRD = `# A greeter

## Tasks

- [ ] Greet in English <!-- id: english --> <!-- group: greetings -->
- [ ] Greet in French <!-- id: french --> <!-- group: greetings -->
- [ ] Say goodbye <!-- id: goodbye -->
  - Depends on: english
  - prints "bye"
- [ ] Write a manual <!-- id: manual -->
- [ ] Set the colour to blue <!-- id: blue -->
- [ ] Set the colour to green <!-- id: green -->
- [ ] Add a version command <!-- id: version -->
- [ ] Break the build <!-- id: red -->
- [ ] Promise much, do nothing <!-- id: liar -->
`;

const DEMO_CHECK = `# The gate: every script parses, and nothing says BROKEN.
set -e
for script in bin/*.sh; do sh -n "$script"; done
if grep -rq BROKEN bin; then echo "bin holds BROKEN"; exit 1; fi
`;

const DEMO_FILES: Readonly<Record<string, string>> = {
  'bin/colour.sh': 'colour=grey\n',
  'README.md': '# Greeter\n',
  '.gitignore': '*.tmp\n',
};

function demoConfig(command: readonly string[]): string {
  return [
    'agent = "scripted"',
    '',
    '[agents.scripted]',
    `command = ${JSON.stringify(command)}`,
    '',
    '[gates]',
    'commands = ["sh check.sh"]',
    '',
    '[parallel]',
    'merge_policy = "auto_merge"',
    '',
    '[limits]',
    'iterations = 3',
    'no_progress = 2',
    '',
  ].join('\n');
}

/** The agent: what it does for each task in each iteration. No key, no network. */
const DEMO_AGENT = `done='<promise>COMPLETE</promise>'
commit() { git add -A && { git diff --cached --quiet || git commit -q -m "$1"; }; }
sleep 0.6
case "$RALPH_TASK_ID/$RALPH_ITERATION" in
english/*) echo 'echo hello' > bin/english.sh; commit 'Greet in English' ;;
french/*) echo 'echo bonjour' > bin/french.sh ;;
goodbye/*) echo 'echo bye' > bin/goodbye.sh; commit 'Say goodbye' ;;
manual/1) echo '# Manual' > MANUAL.md; done='A beginning; usage is missing.' ;;
manual/*) echo 'Run sh bin/english.sh' >> MANUAL.md ;;
blue/*) echo 'colour=blue' > bin/colour.sh; commit 'Blue' ;;
green/*) echo 'colour=green' > bin/colour.sh; commit 'Green' ;;
version/1) echo 'echo "1.0' > bin/version.sh; commit 'Add version' ;;
version/*) echo 'echo 1.0' > bin/version.sh; commit 'Close the quote' ;;
red/*) echo 'echo BROKEN' > bin/red.sh ;;
liar/*) done='Everything is done, trust me.' ;;
esac
echo "$done"
`;
