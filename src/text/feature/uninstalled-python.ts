import type { Ecosystem } from './ecosystems.ts';

const PYTHON: readonly string[] = ['uv', 'poetry', 'pipenv', 'conda', 'pip'];
/** By a table of theirs, the first that is there. */
const WAYS = [
  { table: /^[ \t]*\[tool\.poetry\]/m, lines: '"poetry install"' },
  { table: /^[ \t]*\[project\]/m, lines: '"python3 -m venv .venv", ".venv/bin/pip install -e ."' },
] as const;

/**
 * What to say of a Python project for which nothing is installed, because only a lock file tells which tool it is made with. Null:
 * something is, or `pyproject.toml` has only settings of tools.
 */
export function uninstalledPython(found: readonly Ecosystem[], pyproject: string): string | null {
  const way = WAYS.find(({ table }) => table.test(pyproject));
  if (way === undefined || found.some(({ name }) => PYTHON.includes(name))) return null;
  return `nothing was installed for pyproject.toml, which has no lock file; to have it done, in ralph.toml: [worktree] setup = [${way.lines}]`;
}
