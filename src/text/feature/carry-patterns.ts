import { matchProtected } from '../protected-paths.ts';

/** Which files come along into a new worktree. A pattern without a slash counts in every folder, one with a slash from the root. */
export interface CarryPatterns {
  readonly copy: readonly string[];
  readonly exclude: readonly string[];
}

export function isCarried({ copy, exclude }: CarryPatterns, path: string): boolean {
  const fits = (patterns: readonly string[]): boolean => matchProtected([path], patterns.map(anywhere)).length > 0;
  return fits(copy) && !fits(exclude);
}

/**
 * Whether to look for files in a folder of which git knows nothing. Only where a pattern names it: such a folder may hold
 * everything a project depends on.
 */
export function looksInto({ copy }: CarryPatterns, folder: string): boolean {
  const depth = folder.split('/').length;
  return copy.some((pattern) => {
    const parts = pattern.replace(/\/$/, '/**').split('/');
    const above = parts.slice(0, depth);
    if (parts.length <= depth || above.some((part) => part.includes('**'))) return false;
    return matchProtected([folder], [above.join('/')]).length > 0;
  });
}

const anywhere = (pattern: string): string => (pattern.includes('/') ? pattern : `**/${pattern}`);
