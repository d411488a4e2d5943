import { howMany } from '../../../core/model/describe-time.ts';
import type { Sha } from '../../../core/model/ids.ts';
import { cleanLine, cleanText } from '../../../text/screen/clean.ts';
import type { GitView } from '../../../world/git/run/view.ts';
import { openView } from '../../../world/git/run/view.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import { landedKeeps, mainHeads } from '../../../world/keep/expire.ts';
import { leakedFiles, showCommand } from '../../../world/seal/keep-leaks.ts';
import { type Keep, listKeeps } from '../../../world/keep/list-keeps.ts';
import type { Handler } from '../../call/handler.ts';
import type { KeepView } from '../show/keep-view.ts';
import { age, filesText, findKeep, keepView } from '../show/keep-view.ts';
import { columns } from '../../call/output.ts';
import { readState } from '../../call/project.ts';
import { localTime } from '../../../world/os/clock.ts';

const COMMITS_SHOWN = 50;

interface ShownKeep extends KeepView {
  readonly commits: readonly string[];
  readonly stat: string;
  readonly patch?: string;
}

export const handle: Handler<ShownKeep> = async (call) => {
  const repo = findRepository(call.cwd);
  const view = await openView(repo);
  const state = await readState(repo);
  const keeps = await listKeeps(view);
  const keep = findKeep(keeps, call.args[0] ?? '');
  const leaked = await leakedFiles(view, keep);
  const seen = keepView(state, keep, (await landedKeeps(view, state, [keep])).has(keep));
  const shown = leaked === null ? seen : { ...seen, files: leaked.length, next: showCommand(keep, leaked[0] ?? '') };
  const commits = leaked === null ? await unlandedCommits(view, keep) : [];
  const from = (leaked === null ? keep.head : null) ?? (await emptyTree(view));
  const stat = (await differ(view, from, keep, '--stat')).trimEnd();
  const patch = call.flags['patch'] === true ? await differ(view, from, keep, '--patch', '--binary') : null;
  const data = { ...shown, commits, stat, ...(patch === null ? {} : { patch }) };
  if (patch !== null) {
    // Whoever applies it needs every byte; a terminal must not be steered by it.
    return { data, text: (process.stdout.isTTY ? cleanText(patch) : patch).replace(/\n$/, '') };
  }
  const rows = [
    ['kept', `${localTime(keep.atMs)} (${age(Date.now() - keep.atMs)} ago), before ${shown.act}`],
    ['why', shown.why],
    ['task', shown.task ?? '-'],
    ['loop', shown.loop ?? '-'],
    ['branch', shown.branch ?? '-'],
    ['worktree', shown.path ?? '-'],
    ['commit', shown.commit],
    ...(leaked === null
      ? [
          ['commits', commits.length === 0 ? 'all on main' : `${commits.length} not on main`],
          ['files', filesText(shown.files)],
        ]
      : [['files', `${howMany(leaked.length, 'file')} outside its worktree`]]),
  ];
  call.out.data([`${shown.id}${keep.isUndone ? ' (restored by ralph undo)' : ''}`, columns(rows)].join('\n'));
  if (commits.length > 0) call.out.data(`\nCommits\n${commits.map((line) => `  ${cleanLine(line)}`).join('\n')}`);
  if (stat !== '') call.out.data(`\n${leaked === null ? 'Uncommitted' : 'Files'}\n${cleanText(stat)}`);
  call.out.say(cleanLine(`to restore ${leaked === null ? 'it' : 'one'}: ${shown.next}`));
  return { data };
};

async function unlandedCommits(view: GitView, { head, tip }: Keep): Promise<readonly string[]> {
  const heads = [...new Set([head, tip].filter((commit) => commit !== null))];
  if (heads.length === 0) return [];
  const not = (await mainHeads(view)).map((main) => `^${main}`);
  const args = ['log', '--no-show-signature', `--max-count=${COMMITS_SHOWN}`, '--format=%h %s', ...heads, ...not, '--'];
  const { stdout } = await view.run(args);
  return stdout.split('\n').filter((line) => line !== '');
}

/** What was not committed, as git shows differences. */
async function differ(view: GitView, from: Sha, { tree }: Keep, ...how: readonly string[]): Promise<string> {
  const { stdout } = await view.run(['diff', '--no-ext-diff', '--no-textconv', '--no-color', ...how, from, tree, '--']);
  return stdout;
}

async function emptyTree(view: GitView): Promise<Sha> {
  const { stdout } = await view.run(['hash-object', '-w', '-t', 'tree', '--stdin'], { input: '' });
  return stdout.trim() as Sha;
}
