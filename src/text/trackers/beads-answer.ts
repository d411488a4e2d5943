/** An issue as `bd` tells it, with the fields that are used here. What is missing or of another kind counts as not told. */
export interface Bead {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly design: string;
  readonly acceptance: string;
  readonly notes: string;
  readonly status: string;
  readonly type: string;
  readonly priority: number | null;
  readonly assignee: string;
  readonly labels: readonly string[];
  readonly createdAt: string;
  readonly leaseEndsMs: number | null;
  readonly externalRef: string;
  readonly parent: string | null;
  /** Null: this answer does not tell them, only that there are some. */
  readonly links: readonly Link[] | null;
}

/** Something this issue depends on, and how: `blocks`, `parent-child`, `discovered-from`. */
export interface Link {
  readonly on: string;
  readonly type: string;
  /** Told where an issue is shown by itself. */
  readonly status?: string;
}

type Json = Readonly<Record<string, unknown>>;

/** What `bd` said on one stream: the values that are in it, and its error if it told one. */
export interface BeadsAnswer {
  readonly beads: readonly Bead[];
  readonly error: string | null;
  /** There was JSON in it, if only `[]` or `null`. */
  readonly isJson: boolean;
}

const NOTHING: BeadsAnswer = { beads: [], error: null, isJson: false };

/** Reads an answer in any of its shapes: array, object, envelope, `null`, JSON lines, text, JSON behind text, nothing. */
export function readAnswer(text: string): BeadsAnswer {
  const whole = parsed(text.trim());
  if (whole !== undefined) return fromValue(whole);
  const lines = text.split('\n').map((line) => line.trim());
  const values = lines.flatMap((line) => (/^[[{]/.test(line) ? [parsed(line)] : [])).filter((one) => one !== undefined);
  if (values.length > 0) {
    const all = values.map(fromValue);
    return {
      beads: all.flatMap(({ beads }) => beads),
      error: all.find(({ error }) => error !== null)?.error ?? null,
      isJson: true,
    };
  }
  // Text before a value that goes over several lines.
  const from = text.search(/^[[{]/m);
  const value = from === -1 ? undefined : parsed(text.slice(from).trim());
  return value === undefined ? NOTHING : fromValue(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function fromValue(value: unknown): BeadsAnswer {
  if (Array.isArray(value)) return { beads: value.flatMap(beadOf), error: null, isJson: true };
  if (!isObject(value)) return { ...NOTHING, isJson: value === null };
  if ('data' in value && !('id' in value)) return fromValue(value['data']);
  const { error } = value;
  if (typeof error === 'string') return { beads: [], error: inFull(error, value['failed']), isJson: true };
  return { beads: beadOf(value), error: null, isJson: true };
}

/** `1 of 1 issues failed` says less than what is listed with it. */
function inFull(error: string, failed: unknown): string {
  const first: unknown = Array.isArray(failed) ? failed[0] : undefined;
  return isObject(first) && typeof first['error'] === 'string' ? first['error'] : error;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function beadOf(value: unknown): readonly Bead[] {
  if (!isObject(value) || typeof value['id'] !== 'string' || value['id'] === '') return [];
  const text = (name: string): string => (typeof value[name] === 'string' ? value[name] : '');
  const links = linksOf(value);
  const lease = Date.parse(text('lease_expires_at'));
  return [
    {
      id: value['id'],
      title: text('title'),
      description: text('description'),
      design: text('design'),
      acceptance: text('acceptance_criteria'),
      notes: text('notes'),
      status: text('status'),
      type: text('issue_type'),
      priority: typeof value['priority'] === 'number' ? value['priority'] : null,
      assignee: text('assignee'),
      labels: Array.isArray(value['labels']) ? value['labels'].filter((label) => typeof label === 'string') : [],
      createdAt: text('created_at'),
      leaseEndsMs: Number.isNaN(lease) ? null : lease,
      externalRef: text('external_ref'),
      parent: text('parent') || (links?.find(({ type }) => type === 'parent-child')?.on ?? null),
      links,
    },
  ];
}

/** In lists `{depends_on_id, type}`, where one is shown `{id, dependency_type}`. */
function linksOf(value: Json): readonly Link[] | null {
  const { dependencies } = value;
  if (!Array.isArray(dependencies))
    return typeof value['dependency_count'] === 'number' && value['dependency_count'] > 0 ? null : [];
  return dependencies.flatMap((one: unknown) => {
    if (!isObject(one)) return [];
    const on = one['depends_on_id'] ?? one['id'];
    const type = one['type'] ?? one['dependency_type'] ?? 'blocks';
    return typeof on === 'string' && typeof type === 'string'
      ? [{ on, type, ...(typeof one['status'] === 'string' ? { status: one['status'] } : {}) }]
      : [];
  });
}
