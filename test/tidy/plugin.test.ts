import { describe, expect, it } from 'vitest';
import type { CommandSpec } from '../../src/faces/cli/tables/command-spec.ts';
import { COMMANDS } from '../../src/faces/cli/tables/table.ts';
import { toolsOf } from '../../src/faces/mcp/tools.ts';
import { readText, repositoryFiles } from './support/repository.ts';

const papers = repositoryFiles().filter((path) => path.startsWith('plugin/') && path.endsWith('.md'));
const commands = papers.filter((path) => path.startsWith('plugin/commands/'));
const frontOf = (path: string): string => /^---\n([\s\S]*?)\n---\n/.exec(readText(path))?.[1] ?? '';

/** Every `ralph …` in code, in a fence, or allowed by a front matter: its words up to what is not part of the command. */
function mentioned(path: string): readonly string[] {
  const text = readText(path);
  const inline = [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`(ralph(?: [^`]*)?)`/g)];
  const fenced = [...text.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
    block.split('\n').flatMap((line) => [...line.matchAll(/^\s*(ralph(?: .*)?)$/g)]),
  );
  const allowed = [...frontOf(path).matchAll(/Bash\((ralph [^):]*)/g)];
  return [...inline, ...fenced, ...allowed].map(([, words = '']) => words);
}

const isNamed = (spec: CommandSpec, words: readonly string[]): boolean =>
  spec.name.split(' ').every((part, at) => words[at] === part);

const flagsOf = (spec: CommandSpec): readonly string[] =>
  spec.flags.flatMap(({ flag }) => flag.match(/--?[a-z-]+/gi) ?? []);

function problemOf(mention: string): string | null {
  const [, ...words] = mention.split(' ');
  if (words.length === 0) return null;
  const named = COMMANDS.filter((spec) => isNamed(spec, words));
  const spec = named.toSorted((one, other) => other.name.length - one.name.length)[0];
  if (spec === undefined) return 'no such command';
  const rest = words.slice(spec.name.split(' ').length);
  const end = rest.indexOf('--');
  const flags = (end === -1 ? rest : rest.slice(0, end)).filter((word) => word.startsWith('-'));
  const strange = flags.find((flag) => !flagsOf(spec).includes(flag));
  if (strange !== undefined) return `no flag ${strange}`;
  const isBare = rest.every((word) => word.startsWith('-'));
  return spec.argument === null && !isBare && flags.length === 0 ? 'takes no argument' : null;
}

describe('the plugin', () => {
  it('has what the command line has', () => {
    const problems = papers.flatMap((path) =>
      mentioned(path).flatMap((mention) => {
        const problem = problemOf(mention);
        return problem === null ? [] : [`${path}: ${mention}: ${problem}`];
      }),
    );
    expect(problems).toEqual([]);
    expect(papers.flatMap(mentioned).length).toBeGreaterThan(30);
  });

  it('has the tools of the MCP server, and names each of them', () => {
    const named = papers.flatMap((path) => [...readText(path).matchAll(/worktree_[a-z_]+/g)].map(([word]) => word));
    const tools = toolsOf(COMMANDS).filter(({ name }) => name.startsWith('worktree_'));
    const known = tools.map(({ name }) => name);
    const parameters = tools.flatMap((tool) => tool.parameters.map(({ name }) => name));
    expect(named.filter((word) => !known.includes(word) && !parameters.includes(word))).toEqual([]);
    expect(known.filter((name) => !named.includes(name))).toEqual([]);
  });

  it('starts no loop that holds the session until it ends', () => {
    const starts = commands.flatMap(mentioned).filter((mention) => /^ralph start .*-- /.test(mention));
    expect(starts).not.toEqual([]);
    expect(starts.filter((mention) => !/ --(?:tmux|print) .*-- /.test(mention))).toEqual([]);
  });

  it('sees what is not there', () => {
    expect(problemOf('ralph nothing')).toBe('no such command');
    expect(problemOf('ralph status --nothing')).toBe('no flag --nothing');
    expect(problemOf("ralph publish 'ID'")).toBe('takes no argument');
    expect(problemOf("ralph why --json -- '--strange'")).toBeNull();
  });

  it('has the version of the package', () => {
    const versionIn = (path: string): unknown => (JSON.parse(readText(path)) as { version: unknown }).version;
    expect(versionIn('plugin/.claude-plugin/plugin.json')).toBe(versionIn('package.json'));
  });

  it.each(commands)('%s takes what is given as data', (path) => {
    const text = readText(path);
    expect(frontOf(path)).toMatch(/^description: .+$/m);
    // Claude runs what stands in !`…` before anybody sees it, with the arguments put in as they are.
    expect(text).not.toMatch(/!`/);
    expect(text).not.toMatch(/\$[0-9]/);
    const uses = [...text.matchAll(/\$ARGUMENTS/g)].length;
    const marked = [...text.matchAll(/<given>\n\$ARGUMENTS\n<\/given>/g)].length;
    expect(uses).toBe(marked);
    expect(frontOf(path)).not.toMatch(/Bash(?!\(ralph )/);
  });
});
