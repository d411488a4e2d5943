declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** The id of a task inside its tracker. */
export type TaskId = Branded<'TaskId'>;
/** A task across trackers: `<tracker>#<task id>`. */
export type TaskKey = Branded<'TaskKey'>;
export type LoopId = Branded<'LoopId'>;
export type HostId = Branded<'HostId'>;
/** A full git object id. */
export type Sha = Branded<'Sha'>;

export const taskId = (text: string): TaskId => text as TaskId;
export const loopId = (text: string): LoopId => text as LoopId;
export const hostId = (text: string): HostId => text as HostId;
export const sha = (text: string): Sha => text as Sha;
export const taskKey = (tracker: string, task: TaskId): TaskKey => `${tracker}#${task}` as TaskKey;

const SLUG_CHARS_MAX = 40;

/** A name safe as a file name, a branch part and a shell word, whatever the text was. */
export function slug(text: string): string {
  const ascii = text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  const short = ascii.slice(0, SLUG_CHARS_MAX).replaceAll(/-+$/g, '');
  return short === '' ? 'task' : short;
}

/** What a template may name. */
export interface LoopNames {
  readonly task: string;
  readonly loop: string;
  readonly repo: string;
}

const NAME_CHARS_MAX = 100;

/** The id itself where it can be a folder and the part of a branch; else something close to it. */
export function nameOf(id: string): string {
  const isPlain = /^[A-Za-z0-9][\w.-]*$/.test(id) && !/\.\.|\.$|\.lock$/.test(id);
  return isPlain && id.length <= NAME_CHARS_MAX ? id : slug(id);
}

/** `agent/<task>`, `../<repo>-<task>`: the branch or the folder of one loop. */
export const fillNames = (template: string, names: LoopNames): string =>
  template.replaceAll(/<(task|loop|repo)>/g, (_, word: keyof LoopNames) => nameOf(names[word]));
