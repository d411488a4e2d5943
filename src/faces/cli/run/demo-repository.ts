/** The demo's repository: a tiny shell program, a gate, and tasks of every kind of outcome. */
export const DEMO_PRD = `# A greeter

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

export const DEMO_CHECK = `# The gate: every script parses, and nothing says BROKEN.
set -e
for script in bin/*.sh; do sh -n "$script"; done
if grep -rq BROKEN bin; then echo "bin holds BROKEN"; exit 1; fi
`;

export const DEMO_FILES: Readonly<Record<string, string>> = {
  'bin/colour.sh': 'colour=grey\n',
  'README.md': '# Greeter\n',
  '.gitignore': '*.tmp\n',
};

export function demoConfig(command: readonly string[]): string {
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

type Steps = readonly (readonly Readonly<Record<string, unknown>>[])[];

export function demoScenario(): { readonly tasks: Readonly<Record<string, { readonly iterations: Steps }>> } {
  const write = (path: string, text: string): Readonly<Record<string, unknown>> => ({ write: { path, text } });
  const done = { claim: true };
  const work = { sleepMs: 600 };
  return {
    tasks: {
      english: { iterations: [[work, write('bin/english.sh', 'echo hello\n'), { commit: 'Greet in English' }, done]] },
      french: { iterations: [[work, write('bin/french.sh', 'echo bonjour\n'), done]] },
      goodbye: { iterations: [[work, write('bin/goodbye.sh', 'echo bye\n'), { commit: 'Say goodbye' }, done]] },
      manual: {
        iterations: [
          [work, write('MANUAL.md', '# Manual\n'), { print: 'A beginning; usage is missing.' }],
          [work, { append: { path: 'MANUAL.md', text: '\nRun sh bin/english.sh\n' } }, done],
        ],
      },
      blue: { iterations: [[work, write('bin/colour.sh', 'colour=blue\n'), { commit: 'Blue' }, done]] },
      green: { iterations: [[work, write('bin/colour.sh', 'colour=green\n'), { commit: 'Green' }, done]] },
      version: {
        iterations: [
          [work, write('bin/version.sh', 'echo "1.0\n'), { commit: 'Add version' }, done],
          [
            work,
            { fixOnGateFailure: { steps: [write('bin/version.sh', 'echo 1.0\n')] } },
            { commit: 'Close the quote' },
            done,
          ],
        ],
      },
      red: { iterations: [[work, write('bin/red.sh', 'echo BROKEN\n'), done]] },
      liar: { iterations: [[work, { print: 'Everything is done, trust me.' }, done]] },
    },
  };
}
