export interface PagerFacts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's own git settings by key, in lower case; null: a key without a value. */
  readonly settings: ReadonlyMap<string, string | null>;
}

const BOOLEAN = /^(?:true|yes|on|false|no|off|\d+|)$/i;
const OFF = /^(?:false|no|off|0)$/i;

/** The pager git would choose for a diff, as a shell command; null: none. Only for a terminal. */
export function choosePager({ env, settings }: PagerFacts): string | null {
  const own = settings.get('pager.diff') ?? null;
  if (own !== null && OFF.test(own)) return null;
  const command = own === null || BOOLEAN.test(own) ? undefined : own;
  const chosen = env['GIT_PAGER'] ?? command ?? settings.get('core.pager') ?? env['PAGER'] ?? 'less';
  return chosen.trim() === '' || chosen.trim() === 'cat' ? null : chosen;
}

/** What git gives a pager to go by, unless the user says otherwise. */
export const pagerVariables = (env: PagerFacts['env']): Readonly<Record<string, string>> => ({
  ...(env['LESS'] === undefined ? { LESS: 'FRX' } : {}),
  ...(env['LV'] === undefined ? { LV: '-c' } : {}),
});
