import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beadsBin } from '../../../scripts/lib/beads.mjs';
import { itAllowed } from '../../needs.ts';
import { project } from './project.ts';
import type { ProjectSpec } from './project.ts';
import { beside } from './ralph.ts';
import { scratch } from './scratch.ts';
import type { Scratch } from './scratch.ts';

export type BdVersion = '1.3.0' | '0.47.1';

/** An issue to begin with. */
export interface Issue {
  readonly id: string;
  readonly title?: string;
  readonly type?: string;
  readonly body?: string;
  readonly priority?: number;
  readonly status?: string;
  readonly assignee?: string;
  readonly labels?: readonly string[];
  readonly parent?: string;
  readonly deps?: readonly string[];
}

/** An issue as it came to be, as `bd show --json` has it. */
export interface Shown {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly assignee?: string;
  readonly close_reason?: string;
  readonly labels?: readonly string[];
  readonly notes?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly external_ref?: string;
}

export interface BeadsProject {
  readonly place: Scratch;
  /** What `bd` prints; throws where it ends with another code than 0. */
  readonly bd: (...args: string[]) => string;
  /** The same, whatever it ends with. */
  readonly tryBd: (...args: string[]) => {
    readonly code: number | null;
    readonly stdout: string;
    readonly stderr: string;
  };
  readonly show: (id: string) => Shown;
  readonly all: () => readonly Shown[];
}

/** `it` for a test that drives the real `bd`; where it is not built the reason is printed, and the recorded answers are tested alone. */
export const itWithBd = (version: BdVersion) =>
  itAllowed(`bd ${version}: node scripts/beads.mjs builds it where Go is`, beadsBin(version) !== null);

const STORES = new Map<BdVersion, string>();
const MADE = '2026-01-01T10:00:';

/** A project whose tasks are in Beads, kept by the real `bd`. */
export function beadsProject(
  version: BdVersion,
  issues: readonly Issue[],
  specOf: (place: Scratch) => Partial<ProjectSpec> = () => ({}),
): BeadsProject {
  const made = scratch();
  const env = { ...made.env, ...environment(version, made.env['PATH'] ?? '') };
  const place: Scratch = { ...made, env };
  execFileSync('cp', ['-a', join(storeOf(version), '.beads'), place.repo]);
  appendFileSync(join(place.repo, '.git/info/exclude'), '\n.beads/\n.beads.gate.lock\n');
  const { put } = place;
  const spec = specOf(place);
  project(place, { ...spec, tasks: spec.tasks ?? {} });
  const tryBd = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('bd', args, { cwd: place.repo, env, encoding: 'utf8' });
    return { code: status, stdout, stderr };
  };
  const bd = (...args: string[]): string => {
    const { code, stdout, stderr } = tryBd(...args);
    if (code !== 0) throw new Error(`bd ${args.join(' ')} exited ${code}: ${stderr}${stdout}`);
    return stdout;
  };
  if (issues.length > 0) {
    const file = beside(place, 'issues.jsonl');
    writeFileSync(file, issues.map((issue, at) => `${JSON.stringify(lineOf(issue, at))}\n`).join(''));
    if (version === '0.47.1') bd('import', '-i', file, '--no-git-history');
    else bd('import', file);
  }
  const all = (): readonly Shown[] => {
    // One that asks with the program's own limit sees fifty.
    const ids = (JSON.parse(bd('list', '--all', '--json', '-n', '0')) as readonly Shown[]).map(({ id }) => id);
    return ids.length === 0 ? [] : (JSON.parse(bd('show', ...ids, '--json')) as readonly Shown[]);
  };
  return {
    place: { ...place, put },
    bd,
    tryBd,
    all,
    show: (id) => {
      const [shown] = JSON.parse(bd('show', id, '--json')) as readonly Shown[];
      if (shown === undefined) throw new Error(`bd shows no ${id}`);
      return shown;
    },
  };
}

export const phasesIn = ({ labels = [] }: Pick<Shown, 'labels'>): readonly string[] =>
  labels.filter((label) => label.startsWith('phase:'));

function environment(version: BdVersion, path: string): Readonly<Record<string, string>> {
  return {
    PATH: `${beadsBin(version) ?? ''}:${path}`,
    DO_NOT_TRACK: '1',
    NO_COLOR: '1',
    BEADS_NO_DAEMON: '1',
  };
}

/** To make a store takes seconds, to copy one nothing. */
function storeOf(version: BdVersion): string {
  const known = STORES.get(version);
  if (known !== undefined && existsSync(known)) return known;
  const folder = mkdtempSync(join(tmpdir(), 'ralph-beads-store-'));
  const env = { ...process.env, HOME: folder, ...environment(version, process.env['PATH'] ?? '') };
  const quiet = { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' } as const;
  execFileSync('git', ['init', '-q', '-b', 'main'], quiet);
  const more = version === '0.47.1' ? [] : ['--non-interactive', '--skip-agents'];
  execFileSync('bd', ['init', '-p', 't', '--stealth', '--skip-hooks', '-q', ...more], quiet);
  STORES.set(version, folder);
  return folder;
}

/** As `bd export` writes an issue. */
function lineOf(issue: Issue, at: number): Readonly<Record<string, unknown>> {
  const made = `${MADE}${String(at % 60).padStart(2, '0')}Z`;
  const link = (type: string) => (on: string) => ({
    issue_id: issue.id,
    depends_on_id: on,
    type,
    created_at: made,
    created_by: 'Una User',
  });
  const parent = issue.parent === undefined ? [] : [link('parent-child')(issue.parent)];
  return {
    id: issue.id,
    title: issue.title ?? `Make ${issue.id}`,
    description: issue.body ?? `What ${issue.id} is about`,
    status: issue.status ?? 'open',
    priority: issue.priority ?? 2,
    issue_type: issue.type ?? 'task',
    ...(issue.assignee === undefined ? {} : { assignee: issue.assignee }),
    ...(issue.labels === undefined ? {} : { labels: issue.labels }),
    created_at: made,
    updated_at: made,
    ...(issue.status === 'closed' ? { closed_at: made } : {}),
    dependencies: [...parent, ...(issue.deps ?? []).map(link('blocks'))],
  };
}

/** All issues, for whoever compares two moments. */
export const exported = ({ bd }: BeadsProject): string => bd('export');

export interface Spied {
  readonly env: Readonly<Record<string, string>>;
  /** Calls that ended, with their exit code before them: `0 close t-a -r …`. */
  readonly calls: () => readonly string[];
  /** After each call that may change something: all issues. */
  readonly looks: () => readonly (readonly Shown[])[];
}

/** The same `bd`, with its calls written down, and what each made of the issues if `isWatched`; `first`: lines of shell that run before it, with the call as `$*` and its name as `$real`. */
export function spiedBd({ place }: BeadsProject, first = '', { isWatched = false } = {}): Spied {
  const [folder = ''] = (place.env['PATH'] ?? '').split(':');
  const spy = beside(place, 'spy');
  const log = beside(place, 'bd-calls');
  const seen = beside(place, 'bd-seen');
  for (const made of [spy, seen]) mkdirSync(made, { recursive: true });
  // Each into a file of its own, and whole or not at all: several calls may run at a time.
  const look = `case "$1" in list|show|ready|export|version|where) ;; *) "$real" list --all --json -n 0 > '${seen}/'$$ 2>/dev/null && mv '${seen}/'$$ '${seen}/'$$.json;; esac`;
  const script = `#!/bin/sh\nreal='${folder}/bd'\n${first}\n"$real" "$@"\ncode=$?\necho "$code $*" >> '${log}'\n${isWatched ? look : ''}\nexit $code\n`;
  writeFileSync(join(spy, 'bd'), script, { mode: 0o755 });
  return {
    env: { PATH: `${spy}:${place.env['PATH'] ?? ''}` },
    calls: () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n') : []).filter((line) => line !== ''),
    looks: () =>
      readdirSync(seen).flatMap((name) =>
        name.endsWith('.json') ? [JSON.parse(readFileSync(join(seen, name), 'utf8')) as readonly Shown[]] : [],
      ),
  };
}
