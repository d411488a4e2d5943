/** What clients, git and forges read from a repository and act upon without asking. */
export const PROTECTED = [
  '.claude/**',
  '.mcp.json',
  '.codex/**',
  '.gemini/**',
  '.qwen/**',
  '.opencode/**',
  'opencode.json',
  'opencode.jsonc',
  '.copilot/**',
  '.github/copilot/**',
  '.pi/**',
  '.clinerules/**',
  '.continue/**',
  '.cursor/**',
  'ralph.toml',
  'ralph.local.toml',
  '.ralph/**',
  '**/.gitattributes',
  // One line in it makes every `npm test` succeed.
  '**/.npmrc',
  '.github/workflows/**',
];

/** What a person's checkout has for itself. */
export const COPIED = ['.env', '.env.*', '*.local', '.vscode/**'];
