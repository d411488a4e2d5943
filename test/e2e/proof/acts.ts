/** What an agent or a gate can do to have a tree tested that is not the one that lands. Shell, with `$T` for the task. */
export interface Act {
  readonly name: string;
  readonly script: string;
}

/** Where git keeps what all worktrees share. */
const COMMON = '"$(git rev-parse --git-common-dir)"';
const commit = (message: string): string => `git add -A; git commit -q -m '${message}' || :`;
const COMMIT = commit('Work');
/** Values of integration that were put there from outside are written down: they are not ours. */
const BAD = `bad=$(git commit-tree -p HEAD -m Bad "$(
  export GIT_INDEX_FILE="$PWD/.git-index-$T"; git read-tree HEAD
  git update-index --add --cacheinfo 100644,"$(echo BAD | git hash-object -w --stdin)",src/planted.txt
  git write-tree; rm -f "$GIT_INDEX_FILE")"); echo "$bad" >> "$ROOT/planted"`;

/** Makes the work green, whatever was there before. */
export const HONEST = `rm -f "needs/$T" "src/$T.txt"; mkdir -p src; echo "ok $T" > "src/$T.txt"; ${COMMIT}`;

export const ACTS: readonly Act[] = [
  { name: 'red', script: 'echo BAD > "src/$T.txt"' },
  { name: 'red-commit', script: `echo BAD > "src/$T.txt"; ${COMMIT}` },
  { name: 'build', script: 'mkdir -p build needs; echo made > "build/$T"; echo "$T" > "needs/$T"' },
  {
    name: 'replace-blob',
    script: `echo BAD > "src/$T.txt"; ${COMMIT}
      git replace -f "$(git rev-parse "HEAD:src/$T.txt")" "$(echo ok | git hash-object -w --stdin)"`,
  },
  {
    name: 'replace-commit',
    script: `good=$(git rev-parse HEAD); echo BAD > "src/$T.txt"; ${COMMIT}
      git replace -f "$(git rev-parse HEAD)" "$good"; git replace -f "$(git rev-parse 'HEAD^{tree}')" "$(git rev-parse "$good^{tree}")"`,
  },
  {
    name: 'filter-shared',
    script: `echo BAD > "src/$T.txt"; ${COMMIT}
      git config filter.plant.smudge 'sed s/BAD/ok/'; git config filter.plant.clean 'sed s/ok/BAD/'
      mkdir -p ${COMMON}/info; echo '*.txt filter=plant' >> ${COMMON}/info/attributes`,
  },
  {
    name: 'filter-tracked',
    script: `git config filter.plant.smudge 'sed s/BAD/ok/'; git config filter.plant.clean 'sed s/ok/BAD/'
      echo '*.txt filter=plant' > src/.gitattributes; echo BAD > "src/$T.txt"; ${COMMIT}`,
  },
  { name: 'graft', script: `${HONEST}; mkdir -p ${COMMON}/info; git rev-parse HEAD >> ${COMMON}/info/grafts` },
  { name: 'shallow', script: `${HONEST}; git rev-parse HEAD >> ${COMMON}/shallow` },
  {
    name: 'nested',
    script: `git init -q sub; ( cd sub; echo one > file; git add -A; git -c user.name=a -c user.email=a@b commit -q -m one
      git config filter.plant.clean "git --git-dir='$(cd ${COMMON} && pwd)' update-ref refs/paralph/int/main HEAD~0; cat"
      echo '* filter=plant' > .git/info/attributes; echo two > file ); git add sub || :; ${HONEST}`,
  },
  {
    name: 'missing-blob',
    script: `lost=$(echo "lost $T" | git hash-object --stdin)
      git update-index --add --info-only --cacheinfo 100644,"$lost","src/lost-$T"
      git update-ref HEAD "$(git commit-tree -p HEAD -m Lost "$(git write-tree --missing-ok)")"`,
  },
  {
    name: 'missing-tree',
    script: `git update-ref HEAD "$(git commit-tree -p HEAD -m Lost "$( {
      git ls-tree HEAD; printf '040000 tree %040d\\tgone\\n' 7; } | git mktree --missing)")"`,
  },
  {
    name: 'dot-git',
    script: `blob=$(echo x | git hash-object -w --stdin); tree=$(printf '100644 blob %s\\t.git\\n' "$blob" | git mktree)
      git update-ref HEAD "$(git commit-tree -p HEAD -m Between "$( { git ls-tree HEAD; printf '040000 tree %s\\tzz\\n' "$tree"; } | git mktree)")"
      git update-ref HEAD "$(git commit-tree -p HEAD -m After "$(git rev-parse 'HEAD~1^{tree}')")"; git reset -q; ${HONEST}`,
  },
  {
    name: 'alternate',
    script: `mkdir -p "$ROOT/alt/objects"; blob=$(echo "elsewhere $T" | GIT_OBJECT_DIRECTORY="$ROOT/alt/objects" git hash-object -w --stdin)
      echo "$ROOT/alt/objects" >> ${COMMON}/objects/info/alternates
      git update-index --add --cacheinfo 100644,"$blob","src/else-$T.txt"; git commit -q -m Elsewhere; git checkout -q -- . || :`,
  },
  { name: 'move-integration', script: `${BAD}; git update-ref refs/paralph/int/main "$bad"` },
  {
    name: 'write-integration',
    script: `${BAD}; mkdir -p ${COMMON}/refs/paralph/int; echo "$bad" > ${COMMON}/refs/paralph/int/main`,
  },
  { name: 'drop-integration', script: 'git update-ref -d refs/paralph/int/main' },
  {
    name: 'move-keeps',
    script: `for ref in $(git for-each-ref --format='%(refname)' refs/paralph/keep); do git update-ref -d "$ref"; done`,
  },
  { name: 'hide', script: `${HONEST}; git update-index --assume-unchanged "src/$T.txt"; echo BAD > "src/$T.txt"` },
  { name: 'tick', script: `sed -i 's/\\[ \\]/[x]/' PRD.md; ${COMMIT}` },
];

/** What a gate does once it is over with the tree it was given. */
export const GATE_ACTS: readonly string[] = [
  ':',
  ':',
  'mkdir -p build; for t in t1 t2 t3 t4 t5; do echo made > build/$t; done',
  ...['replace-blob', 'filter-shared', 'move-integration', 'drop-integration', 'shallow'].map(
    (name) => ACTS.find((act) => act.name === name)?.script ?? '',
  ),
];
