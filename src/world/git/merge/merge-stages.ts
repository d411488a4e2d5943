import { sha } from '../../../core/model/ids.ts';
import type { Sha } from '../../../core/model/ids.ts';

/** Both sides wrote other lines into the same plain file, which has one mode all along: nothing but its text is in dispute. */
export interface TextConflict {
  readonly path: string;
  readonly mode: string;
  /** null: both sides added the file. */
  readonly base: Sha | null;
  readonly ours: Sha;
  readonly theirs: Sha;
}

export interface Conflicts {
  readonly paths: readonly string[];
  /** Those of the paths whose text alone is in dispute. */
  readonly textual: readonly TextConflict[];
}

interface Stage {
  readonly mode: string;
  readonly id: string;
}

interface Message {
  readonly paths: readonly string[];
  readonly type: string;
}

/** What may be said of a file whose text alone is in dispute. */
const TEXT_MESSAGES = ['Auto-merging', 'CONFLICT (contents)'];

/** Reads what `merge-tree -z` prints after the tree: the stages of each path, then messages with the paths they are about. */
export function readConflicts(fields: readonly string[]): Conflicts {
  const end = fields.indexOf('');
  const stages = readStages(end === -1 ? fields : fields.slice(0, end));
  const messages = end === -1 ? [] : readMessages(fields.slice(end + 1));
  const others = messages.filter((message) => !TEXT_MESSAGES.includes(message.type));
  const disputed = new Set(others.flatMap((message) => message.paths));
  const textual = [...stages].flatMap(([path, of]) => (disputed.has(path) ? [] : (textConflict(path, of) ?? [])));
  // A conflict about folders alone comes without a stage.
  const bare = others.filter(
    (message) => message.type.startsWith('CONFLICT') && !message.paths.some((path) => stages.has(path)),
  );
  return { paths: [...new Set([...stages.keys(), ...bare.flatMap((message) => message.paths)])], textual };
}

function readStages(records: readonly string[]): Map<string, Map<string, Stage>> {
  const stages = new Map<string, Map<string, Stage>>();
  for (const record of records) {
    const [, mode = '', id = '', stage = '', path = ''] = /^(\d+) ([0-9a-f]+) ([123])\t(.+)$/s.exec(record) ?? [];
    if (path === '') continue;
    const of = stages.get(path) ?? new Map<string, Stage>();
    of.set(stage, { mode, id });
    stages.set(path, of);
  }
  return stages;
}

function readMessages(fields: readonly string[]): Message[] {
  const messages: Message[] = [];
  for (let at = 0; at < fields.length && fields[at] !== '';) {
    const type = at + 1 + Number(fields[at]);
    messages.push({ paths: fields.slice(at + 1, type), type: fields[type] ?? '' });
    at = type + 2;
  }
  return messages;
}

function textConflict(path: string, of: ReadonlyMap<string, Stage>): TextConflict | null {
  const [base, ours, theirs] = [of.get('1') ?? null, of.get('2'), of.get('3')];
  if (ours === undefined || theirs === undefined) return null;
  const { mode } = ours;
  if (!mode.startsWith('100') || theirs.mode !== mode || (base !== null && base.mode !== mode)) return null;
  // The bytes of such a name are lost, so the file could not be written back.
  if (path.includes('\uFFFD')) return null;
  return { path, mode, base: base === null ? null : sha(base.id), ours: sha(ours.id), theirs: sha(theirs.id) };
}
