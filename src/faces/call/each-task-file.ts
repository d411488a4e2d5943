import { AppError, EXIT } from '../../core/model/errors.ts';
import type { ExitCode } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import type { Task } from '../../core/model/task.ts';
import { ourProgram } from '../../world/agents/run/agent-place.ts';
import { runBeside } from '../../world/start/run-beside.ts';
import { findTracker } from '../../world/trackers/find-tracker.ts';
import { openTracker } from '../../world/trackers/tracker-file.ts';
import type { CommandSpec } from './command-spec.ts';
import type { Answer, Call } from './handler.ts';
import { SeveralTaskFiles } from './project.ts';

interface Shard {
  readonly path: string;
  readonly tasks: readonly Task[];
}

type Handle = (call: Call) => Promise<Answer | ExitCode>;

/** Where several task files are named, a command is called once for each; what works on them does so side by side. */
export async function overTaskFiles(
  spec: CommandSpec,
  call: Call,
  handle: Handle,
  several: SeveralTaskFiles,
): Promise<Answer | ExitCode> {
  const shards = await readShards(several);
  if (isPrompt(spec, call)) return handle(withFile(call, several.files[0] ?? ''));
  const calls = callsFor(spec, call, shards);
  const works = spec.name === 'run' || spec.name === 'orchestrate';
  if (works && call.flags['dryRun'] !== true) return workBeside(call, shards);
  return oneByOne(call, calls, handle);
}

/** Every problem of every file at once. An id in two of them would be two tasks of one name. */
async function readShards({ repo, config, files }: SeveralTaskFiles): Promise<readonly Shard[]> {
  const problems: string[] = [];
  const shards: Shard[] = [];
  const seen = new Map<string, string>();
  for (const file of files) {
    const path = await findTracker({ repo, target: config.target }, file);
    const found = await openTracker(repo, config.target?.branch ?? null, path).look();
    if (found === null || 'problems' in found) problems.push(...(found?.problems ?? []));
    else {
      for (const { id, line } of found.tasks) {
        const first = seen.get(id);
        if (first !== undefined)
          problems.push(`${path}:${line}:1 duplicate id ${JSON.stringify(id)}, also at ${first}`);
        else seen.set(id, `${path}:${line}`);
      }
      shards.push({ path, tasks: found.tasks });
    }
  }
  if (problems.length === 0) return shards;
  const what = problems.length === 1 ? 'one problem' : `${problems.length} problems`;
  throw new AppError('E_TASKS', `${files.join(', ')} cannot be used: ${what}; nothing was started`, {
    facts: problems,
    remedy: `$EDITOR ${files.map(shellWord).join(' ')}`,
  });
}

const isPrompt = ({ name }: CommandSpec, { args, flags }: Call): boolean =>
  name === 'run' && (args.length > 0 || ['prompt', 'promptFile', 'continue'].some((flag) => flags[flag] !== undefined));

const withFile = (call: Call, path: string): Call => ({
  ...call,
  settings: new Map([...call.settings, ['tasks', path]]),
});

/** An id is looked for in the file that has it, and so is a loop's, which begins with it; any other word is the first one's. */
function callsFor({ argument }: CommandSpec, call: Call, shards: readonly Shard[]): readonly Call[] {
  const [first] = shards;
  if (first === undefined || call.args.length === 0) return shards.map(({ path }) => withFile(call, path));
  const isOfIds = /\b(?:id|task)\b/.test(argument?.name ?? '');
  const fits = (id: string, arg: string): boolean => id.startsWith(arg) || arg.startsWith(`${id}-`);
  const ownerOf = (arg: string): Shard =>
    (isOfIds
      ? (shards.find(({ tasks }) => tasks.some(({ id }) => id === arg)) ??
        shards.find(({ tasks }) => tasks.some(({ id }) => fits(id, arg))))
      : null) ?? first;
  const owners = new Map<Shard, string[]>();
  for (const arg of isOfIds ? call.args : []) owners.set(ownerOf(arg), [...(owners.get(ownerOf(arg)) ?? []), arg]);
  if (!isOfIds) return [withFile(call, first.path)];
  return [...owners].map(([{ path }, args]) => withFile({ ...call, args }, path));
}

/** Several hosts, as if each had been started in a terminal of its own: they share the slots of the repository. */
async function workBeside(call: Call, shards: readonly Shard[]): Promise<ExitCode> {
  const { node, main } = ourProgram();
  const isJson = call.flags['json'] === true && call.flags['events'] !== true;
  const printed = shards.map(() => '');
  const codes = await runBeside(
    shards.map(({ path }, at) => ({
      argv: [node, main, ...withoutFiles(call.words), '--tasks', path],
      cwd: call.cwd,
      env: call.env,
      onData: (text) => (isJson ? void (printed[at] += text) : call.out.data(text.trimEnd())),
      onSay: (text) => call.out.say(text.trimEnd()),
    })),
  );
  if (isJson)
    call.out.json({ version: 1, trackers: printed.map((text) => JSON.parse(text === '' ? 'null' : text) as unknown) });
  return (codes.find((code) => code !== EXIT.ok) ?? EXIT.ok) as ExitCode;
}

/** The words as typed, but for the files; we stand in the folder of `-C` already. */
function withoutFiles(words: readonly string[]): readonly string[] {
  const typed = words[0] === '-C' ? words.slice(2) : words;
  return typed.filter((word, at) => word !== '--tasks' && !word.startsWith('--tasks=') && typed[at - 1] !== '--tasks');
}

async function oneByOne(call: Call, calls: readonly Call[], handle: Handle): Promise<Answer | ExitCode> {
  const [only] = calls;
  if (calls.length === 1 && only !== undefined) return handle(only);
  const collected: unknown[] = [];
  const answers: Answer[] = [];
  for (const one of calls) {
    call.out.say(`${String(one.settings.get('tasks'))}:`);
    const out = { ...call.out, json: (value: unknown) => void collected.push(value) };
    const given = await handle({ ...one, out });
    if (typeof given === 'number') answers.push({ data: null, exit: given });
    else {
      answers.push(given);
      if (call.flags['json'] === true) collected.push({ version: 1, ...given.data });
      else if (given.text !== undefined && given.text !== '') call.out.data(given.text);
      for (const line of given.says ?? []) call.out.say(line);
    }
  }
  const exit = answers.map((one) => one.exit ?? EXIT.ok).find((code) => code !== EXIT.ok) ?? EXIT.ok;
  const error = answers.map((one) => one.error ?? null).find((one) => one !== null) ?? null;
  return { data: call.flags['json'] === true ? { trackers: collected } : null, exit, error };
}
