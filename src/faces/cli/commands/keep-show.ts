import { EXIT } from '../../../core/errors.ts';
import type { Sha } from '../../../core/ids.ts';
import { cleanLine, cleanText } from '../../../text/screen/clean.ts';
import type { GitView } from '../../../world/git/view.ts';
import { openView } from '../../../world/git/view.ts';
import { findRepository } from '../../../world/git/repository.ts';
import { landedKeeps, mainHeads } from '../../../world/keep/expire.ts';
import { type Keep, listKeeps } from '../../../world/keep/list-keeps.ts';
import type { Handler } from '../handler.ts';
import { age, filesText, findKeep, keepView } from '../keep-view.ts';
import { columns } from '../output.ts';
import { readState } from '../project.ts';

const COMMITS_SHOWN = 50;

export const handle: Handler = async (call) => {
  const repo = findRepository(call.cwd);
  const view = await openView(repo);
  const state = await readState(repo);
  const keeps = await listKeeps(view);
  const keep = findKeep(keeps, call.args[0] ?? '');
  const shown = keepView(state, keep, (await landedKeeps(view, state, [keep])).has(keep));
  const commits = await unlandedCommits(view, keep);
  const stat = (await differ(view, keep, '--stat')).trimEnd();
  const patch = call.flags['patch'] === true ? await differ(view, keep, '--patch', '--binary') : null;
  if (call.flags['json'] === true) {
    call.out.json({ version: 1, ...shown, commits, stat, ...(patch === null ? {} : { patch }) });
    return EXIT.ok;
  }
  if (patch !== null) {
    // Whoever applies it needs every byte; a terminal must not be steered by it.
    call.out.data((process.stdout.isTTY ? cleanText(patch) : patch).replace(/\n$/, ''));
    return EXIT.ok;
  }
  const rows = [
    ['kept', `${shown.at} (${age(Date.now() - keep.atMs)} ago), before ${shown.act}`],
    ['why', shown.why],
    ['task', shown.task ?? '-'],
    ['loop', shown.loop ?? '-'],
    ['branch', shown.branch ?? '-'],
    ['worktree', shown.path ?? '-'],
    ['commit', shown.commit],
    ['commits', commits.length === 0 ? 'all on main' : `${commits.length} not on main`],
    ['files', filesText(shown.files)],
  ];
  call.out.data([`${shown.id}${keep.isUndone ? ' (taken back by ralph undo)' : ''}`, columns(rows)].join('\n'));
  if (commits.length > 0) call.out.data(`\nCommits\n${commits.map((line) => `  ${cleanLine(line)}`).join('\n')}`);
  if (stat !== '') call.out.data(`\nUncommitted\n${cleanText(stat)}`);
  call.out.say(`to have it back: ${shown.next}`);
  return EXIT.ok;
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
async function differ(view: GitView, keep: Keep, ...how: readonly string[]): Promise<string> {
  const from = keep.head ?? (await emptyTree(view));
  const { stdout } = await view.run([
    'diff',
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
    ...how,
    from,
    keep.tree,
    '--',
  ]);
  return stdout;
}

async function emptyTree(view: GitView): Promise<Sha> {
  const { stdout } = await view.run(['hash-object', '-w', '-t', 'tree', '--stdin'], { input: '' });
  return stdout.trim() as Sha;
}
