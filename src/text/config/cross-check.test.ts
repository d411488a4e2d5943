import { describe, expect, it } from 'vitest';
import { crossCheck } from './cross-check.ts';
import { problemLine, readEnvLayer, readFlagLayer } from './layer.ts';
import type { Layer } from './layer.ts';
import { readTomlLayer } from './toml-layer.ts';

const repo = (text: string): Layer => readTomlLayer('repo', 'ralph.toml', text);
const lines = (...layers: readonly Layer[]): string[] => crossCheck(layers).map(problemLine);

const GATES = '[gates]\ncommands = ["npm test", "npm run test:db"]\n';

describe('crossCheck', () => {
  it('has nothing to say where everything fits', () => {
    expect(lines(repo(`${GATES}[gates.resources]\ndb = 1\n[gates.uses]\ndb = ["npm run test:db"]`))).toEqual([]);
    expect(lines(repo('[gates.resources]\ndb = 1'))).toEqual([]);
    expect(lines(repo('[gates]\ncommands = ["a "]\nresources.db = 1\nuses.db = [" a"]'))).toEqual([]);
    expect(lines()).toEqual([]);
  });

  it('names a thing that nobody counts, where it is used', () => {
    expect(lines(repo(`${GATES}[gates.uses]\ndb = ["npm test"]`))).toEqual([
      'ralph.toml:4:1 `gates.uses.db`: [gates.resources] does not say how many there are; add `db = 1` to it',
    ]);
    expect(lines(repo(`${GATES}[gates.resources]\ndatabase = 1\n[gates.uses]\ndatabse = ["npm test"]`))).toEqual([
      'ralph.toml:6:1 `gates.uses.databse`: [gates.resources] does not say how many there are; did you mean `database`?',
    ]);
  });

  it('names a command that is no gate, at its place in the list, with the nearest one', () => {
    const text = `${GATES}[gates.resources]\ndb = 1\n[gates.uses]\ndb = [\n  "npm test",\n  "npm run tets:db",\n  "make everything",\n]`;
    expect(lines(repo(text))).toEqual([
      'ralph.toml:8:3 `gates.uses.db`: "npm run tets:db" is not one of gates.commands; did you mean "npm run test:db"?',
      'ralph.toml:9:3 `gates.uses.db`: "make everything" is not one of gates.commands; there are "npm test", "npm run test:db"',
    ]);
    expect(lines(repo('[gates.resources]\ndb = 1\n[gates.uses]\ndb = ["a"]'))).toEqual([
      'ralph.toml:4:7 `gates.uses.db`: "a" is not one of gates.commands, which is empty',
    ]);
  });

  it('looks at the strongest use, and at the gates and counts of every layer', () => {
    const file = repo(`${GATES}[gates.resources]\ndb = 1\n[gates.uses]\ndb = ["npm run test:db"]`);
    expect(lines(file, readEnvLayer({ RALPH_GATES_COMMANDS: 'npm test' }))).toEqual([]);
    expect(lines(file, readFlagLayer(new Map([['gates.uses.db', 'npm run lint']])))).toEqual([
      expect.stringMatching(/^--set gates\.uses\.db `gates\.uses\.db`: "npm run lint" is not one of/),
    ]);
  });

  it('does not say twice what is wrong with a count or the gates', () => {
    const text = '[gates]\ncommands = [7]\n[gates.resources]\ndb = 0\n[gates.uses]\ndb = ["x"]';
    expect(repo(text).problems).toHaveLength(2);
    expect(lines(repo(text))).toEqual([]);
  });
});
