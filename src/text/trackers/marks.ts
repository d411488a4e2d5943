import type { Marks } from '../../core/model/task.ts';

/** A label may name the agent: `agent:codex`. */
const AGENT_LABEL = /^(agent|model):(.+)$/;

/** What a task says beside its group and priority; `listed`: labels that are a list in the file. */
export function marksFrom(
  textOf: (name: 'story' | 'epic' | 'labels' | 'agent' | 'model') => string | null,
  listed: readonly string[] = [],
): { readonly marks?: Marks } {
  const all = [...namesIn(textOf('labels') ?? ''), ...listed.flatMap(namesIn)];
  const labels = all.filter((label) => !AGENT_LABEL.test(label));
  const asked = all.flatMap((label) => {
    const [, name, value] = AGENT_LABEL.exec(label) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value.trim()] as const];
  });
  const told = (['story', 'epic', 'agent', 'model'] as const).flatMap((name) => {
    const text = textOf(name)?.trim() ?? '';
    return text === '' ? [] : [[name, text] as const];
  });
  const marks: Marks = { ...Object.fromEntries([...asked, ...told]), ...(labels.length === 0 ? {} : { labels }) };
  return Object.keys(marks).length === 0 ? {} : { marks };
}

/** `ui, api` names two. */
const namesIn = (text: string): readonly string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
