import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchProtected, protectedBy } from './protected-paths.ts';

const isHeld = (pattern: string, path: string): boolean => matchProtected([path], [pattern]).length === 1;

describe('matchProtected', () => {
  it.each([
    ['.claude/**', '.claude/settings.json'],
    ['.claude/**', '.claude/a/b/c'],
    ['.claude/**', '.claude'],
    ['.claude/', '.claude/settings.json'],
    ['.mcp.json', '.mcp.json'],
    ['./.mcp.json', '.mcp.json'],
    ['/ralph.toml', 'ralph.toml'],
    ['*.toml', 'ralph.toml'],
    ['*', '.x'],
    ['a*b*c', 'abxbc'],
    ['a/*/c', 'a/b/c'],
    ['**/AGENTS.md', 'AGENTS.md'],
    ['**/AGENTS.md', 'a/b/AGENTS.md'],
    ['a/**/b', 'a/b'],
    ['a/**/b', 'a/x/b/y/b'],
    ['a/**/b/*.md', 'a/b/x/b/y.md'],
    ['**', 'any/thing'],
    ['a?[b]+.x', 'a?[b]+.x'],
    ['nested', 'nested/'],
  ])('%s holds %s', (pattern, path) => expect(isHeld(pattern, path)).toBe(true));

  it.each([
    ['.claude/**', 'x/.claude/settings.json'],
    ['.claude/**', '.claude.md'],
    ['.claude/**', '.claud'],
    ['.mcp.json', 'sub/.mcp.json'],
    ['.mcp.json', '.mcp.json.bak'],
    ['.mcp.json', 'xmcp.json'],
    ['*.toml', 'a/ralph.toml'],
    ['a/*/c', 'a/b/b/c'],
    ['a/*/c', 'a'.repeat(3)],
    ['*/c', 'README.md'],
    ['a/**/b', 'a/b/c'],
    ['a?', 'ab'],
    ['', 'a'],
  ])('%s leaves %s alone', (pattern, path) => expect(isHeld(pattern, path)).toBe(false));

  it.each([
    ['.claude/**', '.CLAUDE/Settings.json'],
    ['.Claude/**', '.claude/x'],
    ['.claude/**', '.cla\u200cude/x'],
    ['kiosk.json', '\u212Aio\u017Fk.json'],
    ['\u00e9/**', 'e\u0301/x'],
  ])('%s holds %j, which some file system takes for the same', (pattern, path) =>
    expect(isHeld(pattern, path)).toBe(true),
  );

  it.each([
    ['.github/copilot/**', '.github', true],
    ['.github/copilot/**', '.github/copilot', true],
    ['.github/copilot/x.json', '.github/copilot', true],
    ['.github/copilot/**', '.github/workflows', false],
    ['.github/*/x.json', '.github', true],
    ['.github/*/x.json', '.github/copilot', false],
  ])('%s: a link put at %s: %s', (pattern, path, held) => expect(isHeld(pattern, path)).toBe(held));

  it('tells the paths as they are, in their order', () => {
    const paths = ['src/a.ts', '.CLAUDE/b', 'ralph.toml', '.claude/a'];
    expect(matchProtected(paths, ['.claude/**', 'ralph.toml'])).toEqual(['.CLAUDE/b', 'ralph.toml', '.claude/a']);
    expect(matchProtected(paths, [])).toEqual([]);
  });

  it('agrees with a regular expression', () => {
    const part = fc.stringMatching(/^[ab*]{1,4}$/).filter((name) => !/\*\*/.test(name));
    const pattern = fc.array(fc.oneof(part, fc.constant('**')), { minLength: 1, maxLength: 4 });
    const path = fc.array(fc.stringMatching(/^[ab]{1,4}$/), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(pattern, path, (parts, names) => {
        // A path of one part more than the fixed beginning is not what stands in the place of a folder.
        const fixed = parts.findIndex((each) => each.includes('*'));
        fc.pre(names.length > (fixed === -1 ? parts.length - 1 : fixed));
        const source = parts
          .map((each) => (each === '**' ? '([^/]+/)*' : `${each.replaceAll('*', '[^/]*')}/`))
          .join('');
        expect(isHeld(parts.join('/'), names.join('/'))).toBe(new RegExp(`^${source}$`).test(`${names.join('/')}/`));
      }),
      { numRuns: 2000 },
    );
  });

  it('is quick with patterns and paths made to be slow', () => {
    const path = `${'a'.repeat(4000)}/`.repeat(20) + 'a';
    expect(isHeld(`**/${'*a'.repeat(30)}b`, path)).toBe(false);
    expect(isHeld(`${'**/a/'.repeat(30)}b`, 'a/'.repeat(2000))).toBe(false);
  });
});

describe('protectedBy', () => {
  const paths = ['gate.sh', 'ci/x.yml', 'ci', 'README.md'];

  it('takes out what stands behind !, wherever in the list, and holds what is named besides', () => {
    expect(protectedBy(paths, ['!gate.sh', '*.sh'], ['README.md'])).toEqual(['README.md']);
    expect(protectedBy(paths, ['*.sh', '!README.md'], ['README.md'])).toEqual(['gate.sh']);
    expect(protectedBy(paths, ['!**'], paths)).toEqual([]);
  });

  it('still holds a link in the place of the folder of what is taken out', () => {
    expect(protectedBy(paths, ['ci/**', '!ci/x.yml'])).toEqual(['ci']);
  });
});
