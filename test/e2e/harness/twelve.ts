/** Twelve tasks as every tracker can tell them: what they build on, two groups, one that is blocked, one epic. */
export interface Wanted {
  readonly id: string;
  readonly deps: readonly string[];
  readonly group: string | null;
  readonly priority: number;
  readonly isBlocked: boolean;
}

const one = (id: string, priority: number, more: Partial<Wanted> = {}): Wanted => ({
  id,
  priority,
  deps: [],
  group: null,
  isBlocked: false,
  ...more,
});

export const EPIC = 'E-1';

export const TWELVE: readonly Wanted[] = [
  one('schema', 1),
  one('model', 1, { deps: ['schema'] }),
  one('login', 2, { group: 'auth', deps: ['model'] }),
  one('logout', 2, { group: 'auth' }),
  one('reset-mail', 2, { group: 'auth', deps: ['login'] }),
  one('header', 1, { group: 'ui' }),
  one('footer', 3, { group: 'ui' }),
  one('theme', 2, { group: 'ui', deps: ['header'] }),
  one('billing', 2, { isBlocked: true }),
  one('invoice', 3, { deps: ['billing'] }),
  one('docs', 3, { deps: ['login', 'theme'] }),
  one('release', 3, { deps: ['docs', 'footer'] }),
];

/** What lands: all but the blocked one and what builds on it. */
export const LANDING = TWELVE.map(({ id }) => id).filter((id) => id !== 'billing' && id !== 'invoice');

const list = (items: readonly string[]): string => `[${items.join(', ')}]`;
const title = (id: string): string => `Make ${id}`;

export const TEXTS: Readonly<Record<string, string>> = {
  'PRD.md': `# A shop\n\n## Tasks\n\n${TWELVE.map(
    ({ id, deps, group, priority, isBlocked }) =>
      `- [${isBlocked ? '-' : ' '}] ${title(id)} <!-- id: ${id} epic: ${EPIC} priority: ${priority}${group === null ? '' : ` group: ${group}`} -->\n${
        deps.length === 0 ? '' : `  - Depends on: ${deps.join(', ')}\n`
      }`,
  ).join('')}`,
  'prd.json': `{\n  "project": "A shop",\n  "stories": [\n${TWELVE.map(
    ({ id, deps, group, priority, isBlocked }) =>
      `    ${JSON.stringify({ id, title: title(id), priority, epic: EPIC, ...(group === null ? {} : { group }), depends_on: deps, ...(isBlocked ? { blocked: true } : {}), passes: false })}`,
  ).join(',\n')}\n  ]\n}\n`,
  'tasks.yaml': `# A shop\ntasks:\n${TWELVE.map(
    ({ id, deps, group, priority, isBlocked }) =>
      `  - id: ${id}\n    title: ${title(id)}\n    epic: ${EPIC}\n    priority: ${priority}\n${group === null ? '' : `    group: ${group}\n`}    depends_on: ${list(deps)}\n${isBlocked ? '    blocked: true\n' : ''}    completed: false\n`,
  ).join('')}`,
  'task-graph.yaml': `# A shop\nversion: "1.0"\nstories:\n  - {id: S-1, title: The shop, status: pending}\nnodes:\n${TWELVE.map(
    ({ id, group, priority, isBlocked }) =>
      `  - {id: ${id}, title: ${title(id)}, story: S-1, epic: ${EPIC}, priority: ${priority}, ${group === null ? '' : `group: ${group}, `}status: ${isBlocked ? 'blocked' : 'pending'}}\n`,
  ).join(
    '',
  )}edges:\n${TWELVE.flatMap(({ id, deps }) => deps.map((dep) => `  - {from: ${dep}, to: ${id}}\n`)).join('')}meta: {by_status: {pending: 11, complete: 0, blocked: 1}}\n`,
};
