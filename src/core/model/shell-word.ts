/** A word any POSIX shell takes as this text. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_./:@%+=,-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A command line as a person would type it: flags stay bare. */
export const shellLine = (words: readonly string[]): string =>
  words.map((word) => (/^--?[a-z][a-z-]*$/.test(word) ? word : shellWord(word))).join(' ');

/** Does something where a commit stands, away from every checkout. */
export const inNewWorktree = (ref: string, act: string): string =>
  `d=$(mktemp -d) && git worktree add --detach "$d" ${shellWord(ref)} && cd "$d" && ${act}`;

/** Shows where a branch conflicts, and changes nothing. */
export const showConflict = (target: string, branch: string): string =>
  `git merge-tree --write-tree --name-only ${shellWord(`refs/paralph/int/${target}`)} ${shellWord(branch)}`;

/** As it was run: a person's own shell may not count a failure in the middle. */
export const asGate = (command: string): string =>
  /[|;&\n]/.test(command) ? `bash -eo pipefail -c ${shellWord(command)}` : command;
