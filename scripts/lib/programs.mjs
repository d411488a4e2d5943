/** Found through its own path, so that it works wherever the package lies; RALPH_NODE is the Node that runs the host. */
const SCRIPT = `#!/bin/sh
case $0 in */*) dir=\${0%/*} ;; *) dir=. ;; esac
exec "\${RALPH_NODE:-node}" "$dir/../main.js" "$@"
`;

/** What agents find on their PATH: the folder holds nothing else, so that putting it first hides no other program. */
export const PROGRAMS = ['ralph', 'paralph'].map((name) => ({
  type: 'program',
  fileName: `bin/${name}`,
  source: SCRIPT,
}));
