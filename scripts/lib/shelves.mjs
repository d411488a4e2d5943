// The order of the shelves. Each imports only those before it in its row, and none the files beside them, which wire them.
// Held by oxlint.config.mjs, test/tidy/fences.test.ts and a sentence for each in ARCHITECTURE.md.

export const SHELVES = [
  { folder: 'src/core', order: ['model', 'loops', 'train', 'pull', 'fold', 'plan', 'views'], flatMax: 0 },
  {
    folder: 'src/world',
    order: [
      'contract',
      'os',
      'processes',
      'log',
      'git',
      'trackers',
      'prompts',
      'notes',
      'worktrees',
      'setup',
      'gates',
      'keep',
      'loops',
      'agents',
      'checkout',
      'seal',
      'foresight',
      'landing',
      'forge',
      'repair',
      'feature',
      'start',
    ],
    flatMax: 8,
  },
  { folder: 'src/world/git', order: ['run', 'objects', 'refs', 'trace', 'merge', 'files'], flatMax: 0 },
  // `runHost` and what it is made of stand beside them.
  { folder: 'src/engine', order: ['trouble', 'effects', 'forge'], flatMax: 16 },
  { folder: 'src/faces', order: ['call', 'verbs', 'mcp', 'tui', 'cli'], flatMax: 0 },
  { folder: 'src/faces/cli', order: ['show', 'run', 'start', 'commands', 'tables'], flatMax: 1 },
];
