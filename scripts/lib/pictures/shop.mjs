// The repository of the pictures: a shop whose agents are scripts, each of which waits for its turn. So everything happens
// in one order, however slow the machine is.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Says what it is about to do, waits for its turn, and does it. Search leaves a quote open the first time. */
const AGENT = `#!/bin/sh
cat > /dev/null
case "$RALPH_TASK_ID-$RALPH_ITERATION" in
  login-1) echo 'A form, and a message where the password is wrong.' ;;
  search-1) echo 'Searching the list with grep.' ;;
  search-*) echo 'The quote was never closed. Closing it, then the tests.' ;;
  export-*) echo 'Reading list.sh before I write export.sh.' ;;
esac
sleep 1
case "$RALPH_TASK_ID-$RALPH_ITERATION" in
  login-*) cp "$HOME/login.sh" .; mkdir -p tests; echo 'sh login.sh ada wrong | grep -q "does not match"' > tests/login ;;
  search-1) echo 'search() { grep "$1 list; }' > search.sh ;;
  search-*) echo 'search() { grep "$1" list; }' > search.sh ;;
  colour-1) [ ! -e "$HOME/ask" ] || { ralph block "which blue: that of the logo, or the old one?"; exit 0; }; echo 'colour=blue' > colour.sh ;;
  *) echo "# $RALPH_TASK_ID" > "$RALPH_TASK_ID.sh" ;;
esac
echo '<promise>COMPLETE</promise>'
`;

const LOGIN = `# Prints whether a name and a password fit together.
name=$1
password=$2
if grep -q "^$name:$password$" people; then
  echo "welcome, $name"
else
  echo "the password does not match"
  exit 1
fi
`;

const TASKS = {
  login: '- [ ] Add a login form <!-- id: login --> <!-- group: auth -->\n  - A wrong password shows a message\n',
  search: '- [ ] Search the list <!-- id: search -->\n',
  colour: '- [ ] Choose a colour <!-- id: colour -->\n',
  logout: '- [ ] Add a logout button <!-- id: logout --> <!-- group: auth -->\n',
  export: '- [ ] Export the list <!-- id: export -->\n',
  import: '- [ ] Import a list <!-- id: import -->\n  - Depends on: export\n',
};

const SETTINGS = `agent = "scripted"

[agents.scripted]
command = ["./agent"]

[gates]
commands = ["sh check.sh"]
`;

const git = (cwd, ...args) => execFileSync('git', args, { cwd, encoding: 'utf8' });

/** Makes it with these tasks. */
export function makeShop(root, { tasks, asks = false }) {
  const cwd = join(root, 'shop');
  for (const folder of [cwd, join(cwd, 'tests')]) mkdirSync(folder);
  const files = {
    'PRD.md': `# Shop\n\n${tasks.map((id) => TASKS[id]).join('')}`,
    'ralph.toml': SETTINGS,
    'check.sh': 'set -e\nfor file in *.sh; do sh -n "$file"; done\nfor test in tests/*; do sh "$test"; done\n',
    'tests/people': 'grep -q ada people\n',
    people: 'ada:lovelace\n',
    list: 'bread\n',
    agent: AGENT,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  chmodSync(join(cwd, 'agent'), 0o755);
  writeFileSync(join(root, 'login.sh'), LOGIN);
  if (asks) writeFileSync(join(root, 'ask'), '');
  git(cwd, 'init', '--quiet', '--initial-branch', 'main');
  git(cwd, 'config', 'user.name', 'A Person');
  git(cwd, 'config', 'user.email', 'person@example.com');
  git(cwd, 'add', '--all');
  git(cwd, 'commit', '--quiet', '--message', 'Start');
  return cwd;
}
