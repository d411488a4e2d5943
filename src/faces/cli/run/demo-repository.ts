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

/** The agent: what it does for each task in each iteration. No key, no network. */
export const DEMO_AGENT = `done='<promise>COMPLETE</promise>'
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
