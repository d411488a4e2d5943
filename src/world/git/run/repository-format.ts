import { statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import { parseConfigList } from './executing-settings.ts';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';

/** What the repository's own config says about how it is stored. */
export interface RepositoryFormat {
  readonly objectFormat: 'sha1' | 'sha256';
  /** `core.sharedRepository`, for repositories that several users write. */
  readonly shared: string | null;
  readonly bare: boolean;
  /** Objects may be missing here and wait at a remote. */
  readonly partial: boolean;
}

/** Extensions that change nothing for the objects and refs we read and write. */
const HARMLESS = new Set(['noop', 'noop-v1', 'preciousobjects', 'partialclone', 'worktreeconfig', 'relativeworktrees']);

/** Reads the format straight from the config file: includes, conditions and the user's own settings have no say in it. */
export async function readFormat(repo: Repository): Promise<RepositoryFormat> {
  const file = statSync(join(repo.commonDir, 'config'), { bigint: true, throwIfNoEntry: false });
  const mark = `${repo.commonDir} ${file?.ino} ${file?.size} ${file?.mtimeNs}`;
  if (known?.mark !== mark) known = { mark, format: await askFormat(repo) };
  return known.format;
}

/** The last answer: it is asked for with every view, and the file hardly ever changes. */
let known: { readonly mark: string; readonly format: RepositoryFormat } | null = null;

async function askFormat(repo: Repository): Promise<RepositoryFormat> {
  // From the top folder, because git looks at the repository around it first and may already refuse that one.
  const list = await runGit(['config', '--file', join(repo.commonDir, 'config'), '--list', '-z'], {
    cwd: '/',
    ok: [0, 1],
  });
  const settings = new Map(parseConfigList(list.stdout).map(([key, value]) => [key, value ?? 'true']));
  for (const [key, value] of settings) {
    if (key.startsWith('extensions.')) refuseUnknown(key.slice('extensions.'.length), value);
  }
  const shared = settings.get('core.sharedrepository') ?? null;
  return {
    objectFormat: settings.get('extensions.objectformat')?.toLowerCase() === 'sha256' ? 'sha256' : 'sha1',
    shared: shared !== null && /^[0-9A-Za-z]+$/.test(shared) ? shared : null,
    bare: isTrue(settings.get('core.bare')),
    partial: settings.has('extensions.partialclone') || [...settings].some(([key, value]) => isPromisor(key, value)),
  };
}

function refuseUnknown(name: string, value: string): void {
  if (HARMLESS.has(name)) return;
  if (name === 'objectformat' && /^sha(1|256)$/i.test(value)) return;
  if (name === 'refstorage' && value.toLowerCase() === 'files') return;
  const remedy = name === 'refstorage' ? { remedy: 'git refs migrate --ref-format=files' } : {};
  throw new AppError('E_REPOSITORY_UNSUPPORTED', `the repository uses extensions.${name} = ${value}`, remedy);
}

function isPromisor(key: string, value: string): boolean {
  return /^remote\..*\.promisor$/s.test(key) && isTrue(value);
}

function isTrue(value: string | undefined): boolean {
  return value !== undefined && /^(true|yes|on|1|)$/i.test(value);
}
