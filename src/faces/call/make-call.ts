import { invariant } from '../../core/model/assert.ts';
import { AppError } from '../../core/model/errors.ts';
import type { CommandSpec, FlagSpec } from './command-spec.ts';
import type { ExitCode } from '../../core/model/errors.ts';
import type { Answer, Call } from './handler.ts';
import { SeveralTaskFiles } from './project.ts';

/** What a face was told: which command, with which words and flags. */
export interface Told {
  readonly spec: CommandSpec;
  readonly args: readonly string[];
  readonly flags: Call['flags'];
}

/** The call of a command, the same from whatever face. */
export function makeCall(
  { spec, args, flags }: Told,
  place: Omit<Call, 'args' | 'flags' | 'settings' | 'flagOf'>,
): Call {
  const takesTasks = spec.flags.some(({ key }) => key === 'tasks');
  return { ...place, args, flags, settings: settingsOf(spec, flags), flagOf: flagsOf(spec, flags), takesTasks };
}

function settingsOf(spec: CommandSpec, given: Call['flags']): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  for (const flag of spec.flags) {
    const value = given[optionName(flag)];
    if (flag.key !== undefined && value !== undefined && value !== false) settings.set(flag.key, valueOf(value));
  }
  for (const pair of (given['set'] as readonly string[] | undefined) ?? []) {
    const cut = pair.indexOf('=');
    if (cut < 1)
      throw new AppError('E_USAGE', `--set ${pair}: not of the form key=value`, { remedy: 'ralph config list' });
    settings.set(pair.slice(0, cut).trim(), pair.slice(cut + 1));
  }
  return settings;
}

/** Given several times, it is a list. */
const valueOf = (value: string | boolean | readonly string[]): string =>
  !Array.isArray(value) ? String(value) : value.length === 1 ? String(value[0]) : JSON.stringify(value);

function flagsOf(spec: CommandSpec, given: Call['flags']): ReadonlyMap<string, string> {
  const typed = spec.flags.filter((flag) => given[optionName(flag)] !== undefined);
  return new Map(typed.flatMap((flag) => (flag.key === undefined ? [] : [[flag.key, flag.flag.split(' ')[0] ?? '']])));
}

/** `--max-workers <n>` is `maxWorkers` to commander. */
export function optionName({ flag }: FlagSpec): string {
  const long = /--([a-z-]+)/.exec(flag)?.[1];
  invariant(long !== undefined, `flag ${flag} has no long form`);
  return long.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Calls a command; where several task files are named, once for each. */
export async function callCommand(spec: CommandSpec, call: Call): Promise<Answer | ExitCode> {
  const { handle } = await spec.load();
  try {
    return await handle(call);
  } catch (error) {
    if (!(error instanceof SeveralTaskFiles)) throw error;
    const { overTaskFiles } = await import('./each-task-file.ts');
    return overTaskFiles(spec, call, handle, error);
  }
}
