/** What an agent may be like. Of every kind but the last, each task can land; of the last, none may. */
export const KINDS = [
  'clean',
  'several',
  'leftover',
  'uncommitted',
  'shared',
  'red-first',
  'crash',
  'exit-half-way',
  'hang',
  'setsid',
  'detached',
  'scripted',
  'hopeless',
] as const;
export type Kind = (typeof KINDS)[number];

/** How often each kind is drawn: conflicts and leftovers are where work could get lost. */
export const SHARE: Readonly<Record<Kind, number>> = {
  clean: 4,
  several: 3,
  leftover: 3,
  uncommitted: 3,
  shared: 5,
  'red-first': 2,
  crash: 2,
  'exit-half-way': 2,
  hang: 1,
  setsid: 2,
  detached: 1,
  scripted: 2,
  hopeless: 1,
};

/**
 * An agent in a few lines of shell, cheap enough for a hundred at once. `$1` is the folder with the plan and the two
 * ledgers, all outside the repository: `files` says which uncommitted files were left behind, and `commits` is written by the
 * user's post-commit hook. A line stands there only after what it tells of has happened.
 */
export const AGENT_SCRIPT = `
cat >/dev/null
chaos=$1
task=$RALPH_TASK_ID
case $task in
  in-place-*) kind=\${task%-*-*} pause=0.3 ;;
  *) read -r kind pause <"$chaos/plan/$task" ;;
esac
fail() { echo "agent: $1" >&2; exit 1; }
done_() { echo '<promise>COMPLETE</promise>'; exit 0; }
token() {
  mkdir -p tokens || fail token
  grep -qsx "$RALPH_LOOP_ID" "tokens/$task" || echo "$RALPH_LOOP_ID" >>"tokens/$task" || fail token
}
work() { mkdir -p work && echo "$2 $task" >"work/$task$1.txt" || fail work; }
commit() {
  git add -A || fail add
  [ -z "$(git status --porcelain)" ] || git commit -q -m "$task: $1" || fail commit
}
leave() {
  mkdir -p left || fail left
  path=left/$task-$RALPH_ITERATION-$1-$$.txt
  echo "left by $RALPH_LOOP_ID in iteration $RALPH_ITERATION: $1 $$" >"$path" || fail left
  hash=$(git hash-object "$path") || fail hash
  [ -s "$path" ] && echo "$hash $task $PWD/$path" >>"$chaos/files"
}
mend() {
  if grep -q '^<<<<<<<' list.txt; then
    sed -i -e '/^|||||||/,/^=======/d' -e '/^=======$/d' -e '/^<<<<<<< /d' -e '/^>>>>>>> /d' list.txt || fail mend
  fi
}
share() {
  mend
  mkdir -p shared && echo shared >"shared/$task" || fail share
  grep -qx "$task" list.txt || echo "$task" >>list.txt || fail share
}
own() {
  git add "work/$task.txt" "tokens/$task" || fail add
  git diff --cached --quiet -- work tokens || git commit -q -m "$task: own" -- "work/$task.txt" "tokens/$task" || fail commit
}
sleep "$pause"
case $kind in in-place-*) ;; *) mend ;; esac
token
case $kind in
  clean) work '' made; commit work ;;
  several) for part in a b c; do work "-$part" made; commit "part $part"; sleep 0.05; done ;;
  leftover) work '' made; commit work; leave a; leave b ;;
  uncommitted) work '' made; leave a ;;
  shared) share; commit share ;;
  red-first)
    if grep -qs RED "work/$task.txt"; then work '' mended; else work '' RED; fi
    commit work ;;
  crash)
    work '' half
    if [ "$RALPH_ITERATION" = 1 ]; then commit half; leave crash; kill -9 $$; fi
    work '' made; commit work ;;
  exit-half-way)
    work '' half; leave half
    if [ "$RALPH_ITERATION" = 1 ]; then exit 3; fi
    work '' made ;;
  hang)
    leave hang
    if [ "$RALPH_ITERATION" = 1 ]; then sleep 600; fi
    work '' made; commit work ;;
  setsid) work '' made; commit work; setsid sleep 600 >/dev/null 2>&1 </dev/null & ;;
  detached) git checkout -q --detach || fail detach; work '' made; commit detached ;;
  scripted) exec node "$2" "$chaos/scenario.json" </dev/null ;;
  hopeless) work '' RED; commit work ;;
  in-place-plain) work '' made ;;
  in-place-own) work '' made; own ;;
  in-place-reddens) if grep -qs RED "work/$task.txt"; then work '' mended; else work '' RED; fi ;;
  in-place-edits)
    if grep -q changed notes.txt && ! grep -q in-place-edits notes.txt; then echo "by $task" >>notes.txt || fail edit; fi
    work '' made ;;
  in-place-sweeps) work '' made; commit all; sleep 0.1 ;;
  in-place-throws)
    work '' made; own; sleep 0.1
    git reset -q --hard || fail reset
    git clean -fdq || fail clean ;;
  in-place-detaches) git checkout -q --detach || fail detach; work '' made; own ;;
esac
done_
`;

/** What must hold of every value of main and of integration: no marker, nothing red, no shared line lost or doubled. */
export const TRUTH = `
test ! -e BROKEN || exit 1
test -e list.txt || exit 1
! grep -qE '^(<<<<<<<|=======$|>>>>>>>)' list.txt || exit 1
! grep -rqs RED work || exit 1
test -z "$(sort list.txt | uniq -d)" || exit 1
for one in shared/*; do
  test ! -e "$one" || grep -qx "\${one#shared/}" list.txt || exit 1
done
exit 0
`;
