/** Where the worktree-manager plugin of Claude Code has its settings, relative to a checkout or a home. */
export const MANAGER_FILE = '.claude/worktree-manager.local.md';
