import { AppError } from '../../../core/model/errors.ts';
import type { ExitCode } from '../../../core/model/errors.ts';
import { inboxView } from '../../../core/views/inbox.ts';
import type { Host, Loop, ReviewComment, State } from '../../../core/model/model.ts';
import { isWorking } from '../../../core/model/model.ts';
import { howMany } from '../../../core/model/describe-time.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import type { Sha } from '../../../core/model/ids.ts';
import { readReviewComments } from '../../../text/review-comments.ts';
import type { WrittenComment } from '../../../text/review-comments.ts';
import { cleanLine, cleanText } from '../../../text/screen/clean.ts';
import { preflight } from '../../../world/git/files/preflight.ts';
import { readTexts } from '../../../world/git/objects/blobs.ts';
import { openView } from '../../../world/git/run/view.ts';
import { findLoopDiff } from '../../../world/loops/loop-diff.ts';
import { readGivenText } from '../../../world/os/given-text.ts';
import { headToReview, refuseReview, reviewLoop } from '../../call/acts/review.ts';
import type { Answer, Call } from '../../call/handler.ts';
import { columns } from '../../call/output.ts';
import { openProject, readState } from '../../call/project.ts';
import type { Project } from '../../call/project.ts';
import { findLoop } from '../../call/find-loop.ts';
import { cutNotice, saidText } from '../../call/said-text.ts';
import { targetFor } from '../run/as-started.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import type { ReviewShown } from '../show/show-review.ts';
import { showReview } from '../show/show-review.ts';
import type { LandAnswer } from './land.ts';
import { landOne, withoutBesides } from './land.ts';
import { hostFor } from '../../call/acts/resume.ts';

const FILE_BYTES_MAX = 4 * 1024 * 1024;
const CODE_LINES_MAX = 40;

interface WaitingReview {
  readonly loop: string;
  readonly task: string | null;
  readonly title: string;
  readonly reason: string;
  readonly detail: string;
  readonly head: string | null;
  readonly reviewed: string | null;
  readonly since: string;
  readonly next: string;
}

interface Reviewed {
  readonly loop: string;
  readonly task: string;
  readonly verdict: 'approved' | 'changes';
  readonly head: string;
  readonly comments?: readonly ReviewComment[];
  /** Who lands it, or goes on with it. */
  readonly host: string | null;
  readonly next?: string | null;
}

type ReviewAnswer =
  | ReviewShown
  | Reviewed
  | LandAnswer
  | { readonly waiting: readonly WaitingReview[] }
  | { readonly loop: null };

/** A person reads what is ready, and says what becomes of it. */
export const handle = async (call: Call): Promise<Answer<ReviewAnswer> | ExitCode> => {
  refuseInLoop(call, 'review');
  const verdict = verdictOf(call);
  const project = await openProject(call);
  const state = await readState(project.repo);
  if (call.flags['list'] === true) return list(call, state);
  const loop = call.args.length === 0 && verdict === null ? nextToReview(state) : findLoop(state, call.args[0] ?? '');
  if (loop === null) {
    return { data: { loop: null }, says: ['nothing waits for a review'] };
  }
  if (verdict === 'approved') return approve(call, project, state, loop);
  if (verdict === 'changes') return sendBack(call, project, state, loop);
  if (isAtTerminal(call)) {
    const { watch } = await import('./watch.ts');
    return watch(call, loop.id);
  }
  const { target } = await preflight(project.repo, targetFor(call, project.repo, loop.id, project.config.settings));
  return showReview(call, project.repo, { state, loop, target });
};

/** A person sits there: they read in the view, where a key approves and another sends back. */
const isAtTerminal = ({ env, flags }: Call): boolean =>
  process.stdout.isTTY === true &&
  process.stdin.isTTY === true &&
  env['TERM'] !== 'dumb' &&
  flags['json'] !== true &&
  flags['whole'] !== true;

/** Several words would contradict each other; none asks to read. */
function verdictOf({ flags, args }: Call): 'approved' | 'changes' | null {
  const changes = ['changes', 'message', 'comments'].some((name) => flags[name] !== undefined);
  const isVerdict = changes || flags['approve'] === true;
  const wrong = (message: string, remedy = 'ralph review --help'): AppError =>
    new AppError('E_USAGE', message, { remedy });
  if (flags['approve'] === true && changes) throw wrong('--approve and --changes contradict each other');
  if (isVerdict && args.length === 0) throw wrong('say which loop you mean', 'ralph review --list');
  if (flags['changes'] === true && flags['message'] === undefined && flags['comments'] === undefined)
    throw wrong('say what to change: -m TEXT, or --comments FILE', 'ralph review ID --changes -m "what to change"');
  if (!isVerdict && flags['head'] !== undefined) throw wrong('--head goes with --approve or --changes');
  return changes ? 'changes' : isVerdict ? 'approved' : null;
}

/** What has waited longest. */
function nextToReview(state: State): Loop | null {
  const id = inboxView(state).items.find(({ kind }) => kind === 'review')?.loop ?? null;
  return id === null ? null : (state.loops[id] ?? null);
}

function list({ out }: Call, state: State): Answer<{ readonly waiting: readonly WaitingReview[] }> {
  const waiting = inboxView(state).items.flatMap(({ kind, loop: id, task, title, reason, detail, since }) => {
    const loop = id === null ? undefined : state.loops[id];
    if (kind !== 'review' || loop === undefined) return [];
    const next = `ralph review ${shellWord(loop.id)}`;
    const { head, reviewed = null } = loop;
    return [{ loop: loop.id, task, title, reason, detail, head, reviewed: reviewed?.head ?? null, since, next }];
  });
  const rows = waiting.map(({ task, detail, title, next }) => [task ?? '', detail, title, next].map(cleanLine));
  return {
    data: { waiting: waiting.map((one) => ({ ...one, since: new Date(one.since).toISOString() })) },
    text: columns(rows, out.width),
    says: rows.length === 0 ? ['nothing waits for a review'] : [],
  };
}

const headFlag = ({ flags }: Call): string | null => (typeof flags['head'] === 'string' ? flags['head'] : null);

const hostUp = ({ hosts }: State): Host | null => Object.values(hosts).find(({ state: at }) => at === 'up') ?? null;

/** Where a host works, it lands there; else here, as by `ralph land`. */
async function approve(call: Call, project: Project, state: State, loop: Loop): Promise<Answer<Reviewed | LandAnswer>> {
  const { repo, config } = project;
  refuseReview(state, loop, 'approved');
  const head = await headToReview(repo, loop, headFlag(call), 'approved');
  const landHere = () => landOne({ ...call, flags: { ...call.flags, head } }, repo, loop);
  if (hostUp(state) === null) return landHere();
  const { target } = await preflight(repo, targetFor(call, repo, loop.id, config.settings));
  await withoutBesides(call, project, { state, loops: [loop], target });
  // A run may end while somebody approves the last that it made: whoever is alive when it is written down lands it.
  const isWanted = (now: State): boolean => hostUp(now) !== null;
  const { before } = await reviewLoop(repo, { loop: loop.id, head, verdict: 'approved', comments: [], isWanted });
  const host = hostUp(before);
  if (host === null) return landHere();
  const told = `${loop.id} is approved at ${head.slice(0, 12)}; the host with process ${host.mark.pid} lands it`;
  const task = taskIdOf(state, loop.task);
  return { data: { loop: loop.id, task, verdict: 'approved', head, host: host.id }, says: [told] };
}

async function sendBack(call: Call, project: Project, state: State, loop: Loop): Promise<Answer<Reviewed>> {
  const { repo } = project;
  refuseReview(state, loop, 'changes');
  const head = await headToReview(repo, loop, headFlag(call), 'changes');
  const { comments, cut } = await readComments(call, project, state, loop, head);
  const { before } = await reviewLoop(repo, { loop: loop.id, head, verdict: 'changes', comments });
  const host = hostFor(before, loop)?.id ?? null;
  const isAtWork = isWorking(loop);
  const resume = `ralph loops resume ${shellWord(loop.id)}`;
  const told = `${howMany(comments.length, 'comment')}${cut}`;
  const isLeft = host === null && !(isAtWork && loop.host !== null);
  const next = host === null && !isAtWork ? resume : null;
  return {
    data: { loop: loop.id, task: taskIdOf(state, loop.task), verdict: 'changes', head, comments, host, next },
    says: [
      isAtWork
        ? `${loop.id} gets your review with its next iteration: ${told}`
        : `${loop.id} goes back to work with ${told}`,
      ...(isLeft ? [`no run works through its task file now; to continue: ${resume}`] : []),
    ],
  };
}

interface Said {
  readonly comments: readonly ReviewComment[];
  readonly cut: string;
}

async function readComments(call: Call, project: Project, state: State, loop: Loop, head: Sha): Promise<Said> {
  const { message, comments: file } = call.flags;
  const usage = `ralph review ${shellWord(loop.id)} --changes -m "what to change"`;
  const said = typeof message === 'string' ? saidText([message], 'the message', usage) : null;
  const written = typeof file === 'string' ? await placed(call, project, state, loop, head, file) : [];
  const all = [...(said === null ? [] : [{ text: said.text }]), ...written];
  return { comments: all, cut: said === null ? '' : cutNotice(said) };
}

/** Each comment with the lines it is about, as they were in what the person read. */
async function placed(
  call: Call,
  { repo, config }: Project,
  state: State,
  loop: Loop,
  head: Sha,
  file: string,
): Promise<readonly ReviewComment[]> {
  const name = file === '-' ? 'standard input' : file;
  const given = readGivenText(file === '-' ? null : file, FILE_BYTES_MAX);
  if ('fault' in given) throw unusable(name, [given.fault.replace('-', ' ')], loop);
  const read = readReviewComments(given.text);
  if ('problems' in read) throw unusable(name, read.problems, loop);
  const view = await openView(repo);
  const { target } = await preflight(repo, targetFor(call, repo, loop.id, config.settings));
  const made = await findLoopDiff(view, state, loop, target);
  const problems: string[] = [];
  const comments: ReviewComment[] = [];
  for (const [at, { text, on }] of read.comments.entries()) {
    if (on === null) {
      comments.push({ text });
      continue;
    }
    const [content = null] = await readTexts(view, on.side === 'new' ? head : (made?.base ?? head), [on.path]);
    const code = codeOf(content, on);
    if (typeof code === 'string') comments.push({ text, on: { ...on, path: cleanLine(on.path), code } });
    else problems.push(`comment ${at + 1}: ${code.problem}`);
  }
  if (problems.length > 0) throw unusable(name, problems, loop);
  return comments;
}

function codeOf(
  content: string | null,
  { path, side, first, last }: NonNullable<WrittenComment['on']>,
): string | { readonly problem: string } {
  const version = side === 'new' ? '' : ' of the old version';
  if (content === null) return { problem: `there is no text file ${cleanLine(path)}${version}` };
  const lines = content.replace(/\n$/, '').split('\n');
  if (last > lines.length)
    return { problem: `${cleanLine(path)}${version} has ${howMany(lines.length, 'line')}, and no line ${last}` };
  const shown = lines.slice(first - 1, Math.min(last, first - 1 + CODE_LINES_MAX)).map((line) => cleanText(line));
  const more = last - first + 1 - shown.length;
  return [...shown, ...(more > 0 ? [`(and ${more} more)`] : [])].join('\n');
}

const unusable = (name: string, facts: readonly string[], { id }: Loop): AppError =>
  new AppError('E_REVIEW', `${cleanLine(name)} holds no review that can be used; nothing is sent back`, {
    facts: facts.map(cleanLine),
    remedy: `ralph review ${shellWord(id)} --changes -m "what to change"`,
  });
