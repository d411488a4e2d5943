import { expect, it } from 'vitest';
import { ecosystemsOf } from './ecosystems.ts';
import { uninstalledPython } from './uninstalled-python.ts';

const said = (names: readonly string[], pyproject: string): string | null =>
  uninstalledPython(ecosystemsOf(names), pyproject);

it('tells of a project without a lock file how it can be installed', () => {
  expect(said(['pyproject.toml'], '# mine\n[tool.poetry]\nname = "x"\n')).toMatch(/setup = \["poetry install"\]$/);
  expect(said(['pyproject.toml', 'go.mod'], '[build-system]\n\n[project]\nname = "x"\n')).toMatch(
    /pip install -e \."\]$/,
  );
});

it('says nothing where something is installed, or there is no project', () => {
  expect(said(['pyproject.toml', 'poetry.lock'], '[tool.poetry]\n')).toBeNull();
  expect(said(['pyproject.toml', 'requirements.txt'], '[project]\n')).toBeNull();
  expect(said(['pyproject.toml'], '[tool.black]\n# [project]\n[project.scripts]\n')).toBeNull();
  expect(said([], '')).toBeNull();
});
