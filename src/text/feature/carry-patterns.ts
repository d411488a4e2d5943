import { matchProtected, protectedBy } from '../protected-paths.ts';

/** Which files come along into a new worktree. A pattern without a slash counts in every folder, one with a slash from the root; one behind `!` takes out what it fits. */
export interface CarryPatterns {
  readonly copy: readonly string[];
}

export const isCarried = ({ copy }: CarryPatterns, path: string): boolean =>
  protectedBy([path], copy.map(anywhere)).length > 0;

/**
 * Whether to look for files in a folder of which git knows nothing. Only where a pattern names it: such a folder may hold
 * everything a project depends on.
 */
export function looksInto({ copy }: CarryPatterns, folder: string): boolean {
  const names = folder.split('/');
  return copy.some((pattern) => {
    if (pattern.startsWith('!')) return false;
    const parts = pattern.replace(/\/$/, '/**').split('/');
    const deep = parts.findIndex((part) => part.includes('**'));
    const fixed = deep === -1 ? parts : parts.slice(0, deep);
    if (fixed.length === 0 || (deep === -1 && names.length >= parts.length)) return false;
    const depth = Math.min(fixed.length, names.length);
    return matchProtected([names.slice(0, depth).join('/')], [fixed.slice(0, depth).join('/')]).length > 0;
  });
}

const anywhere = (pattern: string): string => (pattern.includes('/') ? pattern : pattern.replace(/^!?/, '$&**/'));
