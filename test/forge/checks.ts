import { missing, ok } from './answers.ts';
import type { Answer } from './answers.ts';
import type { Github } from './github-types.ts';

interface Check {
  readonly id: number;
  readonly name: string;
  readonly conclusion: 'success' | 'failure' | null;
  readonly log: string;
}

interface Checks extends Pick<Github, 'setCheck'> {
  readonly verdict: (sha: string) => 'none' | 'pending' | 'red' | 'green';
  /** Null: it is about something else. */
  readonly api: (at: string) => Answer | null;
  readonly logOf: (id: number) => string;
}

/** What CI says of commits, and the logs of its jobs. */
export function openChecks(nextId: () => number, url: () => string): Checks {
  const checks = new Map<string, Check[]>();
  const byId = (id: number): Check | undefined => [...checks.values()].flat().find((one) => one.id === id);
  const ofCommit = (sha: string, what: string): Answer => {
    const all = checks.get(sha) ?? [];
    if (what === 'status') return ok({ state: 'pending', statuses: [], sha, total_count: 0 });
    return ok({
      total_count: all.length,
      check_runs: all.map(({ id, name, conclusion }) => ({
        id,
        name,
        head_sha: sha,
        status: conclusion === null ? 'in_progress' : 'completed',
        conclusion,
        html_url: `${url()}/runs/${id}`,
      })),
    });
  };
  return {
    setCheck: (sha, name, conclusion, log = '') => {
      const others = (checks.get(sha) ?? []).filter((one) => one.name !== name);
      checks.set(sha, [...others, { id: nextId(), name, conclusion, log }]);
    },
    verdict: (sha) => {
      const all = checks.get(sha) ?? [];
      if (all.length === 0) return 'none';
      if (all.some(({ conclusion }) => conclusion === 'failure')) return 'red';
      return all.some(({ conclusion }) => conclusion === null) ? 'pending' : 'green';
    },
    api: (at) => {
      const [, sha, what] = /^\/commits\/([^/]+)\/([^/]+)$/.exec(at) ?? [];
      if (sha !== undefined && what !== undefined) return ofCommit(sha, what);
      const [, id] = /^\/actions\/jobs\/(\d+)\/logs$/.exec(at) ?? [];
      if (id === undefined) return null;
      return byId(Number(id)) === undefined ? missing : { status: 302, data: `${url()}/logs/${id}` };
    },
    logOf: (id) => byId(id)?.log ?? '',
  };
}
