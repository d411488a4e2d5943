import { describe, expect, it } from 'vitest';
import { ecosystemsOf } from './ecosystems.ts';

const commands = (names: readonly string[], manager: string | null = null): readonly string[] =>
  ecosystemsOf(names, manager).flatMap((one) => one.commands.map((words) => words.join(' ')));

describe('ecosystemsOf', () => {
  it.each([
    [['package.json', 'package-lock.json'], 'npm ci'],
    [['package.json', 'npm-shrinkwrap.json'], 'npm ci'],
    [['package.json'], 'npm install --no-package-lock'],
    [['package.json', 'pnpm-lock.yaml', 'package-lock.json'], 'pnpm install --frozen-lockfile'],
    [['package.json', 'yarn.lock'], 'yarn install --frozen-lockfile'],
    [['package.json', 'yarn.lock', '.yarnrc.yml'], 'yarn install --immutable'],
    [['package.json', 'bun.lockb'], 'bun install --frozen-lockfile'],
    [['package.json', 'bun.lock'], 'bun install --frozen-lockfile'],
    [['deno.json', 'deno.lock'], 'deno install --frozen'],
    [['deno.jsonc'], 'deno install --no-lock'],
    [['pyproject.toml', 'uv.lock'], 'uv sync --locked'],
    [['pyproject.toml', 'poetry.lock'], 'poetry install --no-interaction'],
    [['Pipfile', 'Pipfile.lock'], 'pipenv sync --dev'],
    [['environment.yaml'], 'conda env update --file environment.yaml'],
    [['Cargo.toml', 'Cargo.lock'], 'cargo fetch --locked'],
    [['Cargo.toml'], 'cargo fetch'],
    [['go.mod', 'go.sum'], 'go mod download'],
    [['Gemfile', 'Gemfile.lock'], 'env BUNDLE_FROZEN=true bundle install'],
    [['composer.json', 'composer.lock'], 'composer install --no-interaction'],
    [['composer.json'], 'composer install --no-interaction'],
    [['Package.swift', 'Package.resolved'], 'swift package resolve --force-resolved-versions'],
    [['CMakeLists.txt'], 'cmake -S . -B build'],
    [['build.gradle.kts', 'gradlew'], './gradlew --quiet dependencies'],
    [['build.gradle'], 'gradle --quiet dependencies'],
    [['pom.xml', 'mvnw'], './mvnw --quiet --batch-mode dependency:go-offline'],
    [['pom.xml'], 'mvn --quiet --batch-mode dependency:go-offline'],
    [['mix.exs', 'mix.lock'], 'mix deps.get --check-locked'],
    [['App.sln'], 'dotnet restore'],
    [['App.csproj', 'packages.lock.json'], 'dotnet restore --locked-mode'],
  ])('%j: %s', (names, command) => {
    expect(commands(names)).toEqual([command]);
  });

  it('takes one tool of a kind, and all kinds', () => {
    expect(commands(['requirements.txt', 'uv.lock', 'pyproject.toml', 'package.json', 'go.mod'])).toEqual([
      'npm install --no-package-lock',
      'uv sync --locked',
      'go mod download',
    ]);
    expect(commands(['requirements.txt'])).toEqual([
      'python3 -m venv .venv',
      '.venv/bin/python -m pip install --requirement requirements.txt',
    ]);
    expect(commands(['README.md', '.sln', 'pyproject.toml'])).toEqual([]);
  });

  it('lets package.json name its tool, if it is one', () => {
    expect(commands(['package.json', 'package-lock.json'], 'pnpm@9.1.0')).toEqual(['pnpm install --no-lockfile']);
    expect(commands(['package.json', 'yarn.lock', 'package-lock.json'], 'npm@10')).toEqual(['npm ci']);
    expect(commands(['package.json'], '; rm -rf /')).toEqual(['npm install --no-package-lock']);
  });
});
