import { describeMs, howMany } from '../../../core/model/describe-time.ts';
import { costInWords } from '../../../core/views/cost-view.ts';
import type { RunLine } from '../../../core/views/runs.ts';
import { describeRed } from '../../../core/model/line-that-matters.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import type { BaseLine, Summary, TaskLine } from '../../../core/views/summary.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import type { Output } from '../../call/output.ts';
import { tailLines } from '../../call/tail-lines.ts';
import { inLocalTime } from '../../../world/os/clock.ts';

/** The morning's answer: what landed, what waits for whom, and the command for each. */
export function showSummary(out: Output, summary: Summary, target: string, run: RunLine | null = null): void {
  const { style } = out;
  const count = (n: number, word: string): string => `${n} ${word}`;
  const parts = [
    count(summary.landed.length, 'landed'),
    count(summary.ready.length, 'ready'),
    count(summary.parked.length, 'parked'),
  ];
  const more = (['discarded', 'stopped', 'at_work', 'waiting', 'open', 'blocked'] as const)
    .filter((key) => summary[key].length > 0)
    .map((key) => count(summary[key].length, key.replace('_', '-')));
  out.say('');
  out.say(style.bold([...parts, ...more].join(', ')));
  if (run !== null) out.say(`  ${describeRun(run)}`);
  lines(out, summary.landed, (task) => `${style.green('landed')}  ${cleanLine(task.task)} ${cleanLine(task.why)}`);
  lines(
    out,
    summary.ready,
    (task) => `${style.green('ready')}   ${cleanLine(task.task)} on ${task.branch ?? '?'}: ${cleanLine(task.why)}`,
  );
  lines(
    out,
    summary.parked,
    (task) =>
      `${style.yellow('parked')}  ${cleanLine(task.task)} (${task.reason ?? '?'}): ${cleanLine(task.why)}; kept on ${task.branch ?? '?'}`,
  );
  // Settled: there is nothing to do next.
  for (const task of summary.discarded) out.say(`  discarded ${cleanLine(task.task)}: ${cleanLine(task.why)}`);
  lines(
    out,
    summary.stopped,
    (task) => `stopped ${cleanLine(task.task)} on ${task.branch ?? '?'}: ${cleanLine(task.why)}`,
  );
  lines(out, summary.at_work, (task) => `at-work ${cleanLine(task.task)} on ${task.branch ?? '?'}`);
  lines(out, summary.waiting, (task) => `waiting ${cleanLine(task.task)}: ${inLocalTime(cleanLine(task.why))}`);
  lines(out, summary.open, (task) => `open    ${cleanLine(task.task)}: ${inLocalTime(cleanLine(task.why))}`);
  lines(out, summary.blocked, (task) => `blocked ${cleanLine(task.task)}: ${cleanLine(task.why)}`);
  for (const held of summary.held) out.say(style.yellow(`held    ${inLocalTime(cleanLine(held))}`));
  if (summary.overspent !== null)
    out.say(style.yellow(`the run's budget is spent: ${summary.overspent}; to continue with a new run: ralph run`));
  if (summary.limit !== null)
    out.say(style.yellow(`a limit of the project is reached: ${summary.limit.spent}; raise it: ${summary.limit.next}`));
  for (const title of summary.proposals) out.say(`proposed ${cleanLine(title)}`);
  for (const line of summary.put_back) out.say(style.yellow(`put back: ${cleanLine(line)}`));
  if (summary.base !== null) showBase(out, summary.base, target);
  if (summary.trouble !== null) out.say(style.red(`landing is stopped: ${cleanLine(summary.trouble)}`));
  if (summary.trouble_next !== null) out.say(`          next: ${summary.trouble_next}`);
  publishLine(out, summary, target);
  if (summary.ready.length > 1) out.say('land what is ready: ralph land --all   look first: ralph review');
  if (run !== null) out.say('full report: ralph report');
}

/** What it took: time, money, and gate runs that one train of several loops saved. */
function describeRun({
  since,
  last_at: last,
  ended,
  iterations,
  gate_runs: runs,
  gate_runs_saved: saved,
  ...run
}: RunLine): string {
  const cost = run.cost_usd === null ? [] : [costInWords(run)];
  const gates = runs === 0 ? [] : [howMany(runs, 'gate run on trains', 'gate runs on trains')];
  const parts = [describeMs(Math.max(0, (ended ?? last) - since)), ...cost, howMany(iterations, 'iteration'), ...gates];
  return `${parts.join(', ')}${saved === 0 ? '' : `, ${saved} saved`}`;
}

/** What landed, and what a person blocked: a command below each would hide the one that matters. */
const ASKS_NOTHING: ReadonlySet<TaskLine['state']> = new Set(['landed', 'blocked']);

function lines(out: Output, tasks: readonly TaskLine[], text: (task: TaskLine) => string): void {
  for (const task of tasks) {
    const obeyed = task.obeyed === undefined ? '' : `\n          changes ${describeObeyed(task.obeyed)}`;
    const next = task.next === null || ASKS_NOTHING.has(task.state) ? '' : `\n          next: ${task.next}`;
    out.say(`  ${text(task)}${obeyed}${next}`);
  }
}

const describeObeyed = (paths: readonly string[]): string =>
  `${cleanLine(paths.join(', '))}, which later gates and agents use; to hold such files: landing.protect`;

/** Whoever reads this in the morning has to mend it first: how it fails, how to see that, and what goes on then. */
function showBase(out: Output, base: BaseLine, target: string): void {
  const { style } = out;
  const how = cleanLine(describeRed({ failing: base.gate, tail: base.tail }));
  out.say(style.red(`${target} itself fails its gates (${base.commit.slice(0, 10)}): ${how}`));
  for (const line of tailLines(base.tail)) out.say(line);
  for (const one of base.likely) out.say(style.yellow(`  likely cause: ${cleanLine(one)}`));
  out.say(`  to see it: ${cleanLine(base.reproduce)}`);
  const [again, anyway] = base.next.slice(-2);
  for (const land of base.next.slice(0, -2)) out.say(`  next: ${land}`);
  out.say(`  next: fix ${target}, then: ${again}; or start every task anyway: ${anyway}`);
}

function publishLine(out: Output, summary: Summary, target: string): void {
  const { publish } = summary;
  switch (publish.state) {
    case 'nothing':
      return;
    case 'published':
      return out.say(`${target} holds everything that landed`);
    case 'pending':
      return out.say(
        `landed on refs/paralph/int/${target}; ${target} was not moved.${summary.trouble_next === null ? ' next: ralph publish' : ''}`,
      );
    case 'blocked':
      return out.say(
        out.style.yellow(
          `landed, but ${target} was not moved: ${cleanLine(publish.why)}${publish.paths.length > 0 ? `: ${cleanLine(publish.paths.join(', '))}` : ''}`,
        ) + `\n          next: ${nextToPublish(publish.paths)}`,
      );
  }
}

const LOCAL = /^(.+) \((modified|staged|deleted|untracked|ignored)\)$/s;

/** What holds it back is named. Files are put aside by one command, the rest comes to an end by itself or by its own. */
export function nextToPublish(paths: readonly string[]): string {
  const files = paths.map((path) => LOCAL.exec(path));
  if (paths.length === 0 || files.includes(null)) return 'once that is over: ralph publish';
  // From the root, wherever somebody stands.
  const named = (isNew: boolean): string =>
    files
      .filter((file) => isNew === ['untracked', 'ignored'].includes(file?.[2] ?? ''))
      .map((file) => shellWord(`:/${file?.[1] ?? ''}`))
      .join(' ');
  const [known, strange] = [named(false), named(true)];
  const isIgnored = files.some((file) => file?.[2] === 'ignored');
  const steps = [
    ...(known === '' ? [] : [`git stash push -- ${known}`]),
    ...(strange === '' ? [] : [`git stash push ${isIgnored ? '--all' : '--include-untracked'} -- ${strange}`]),
    'ralph publish',
  ];
  // Git does not put a new file of a stash where one stands by now.
  const yours = `yours instead of what landed: git restore --source='stash@{0}^3' -- ${strange}`;
  const thens = [
    ...(strange === '' ? [] : [yours]),
    ...(known === '' ? [] : [`git stash pop${strange === '' ? '' : ` 'stash@{1}'`}`]),
  ];
  return [steps.join(' && '), ...thens.map((then) => `          then: ${then}`)].join('\n');
}
