import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/model/errors.ts';
import { COMMANDS } from '../../../src/faces/cli/tables/table.ts';
import { callTool } from '../../../src/faces/mcp/call-tool.ts';
import type { Parameter } from '../../../src/faces/mcp/parameters.ts';
import { type Tool, toolsOf } from '../../../src/faces/mcp/tools.ts';
import { type ScratchRepo, scratchRepo } from '../scratch.ts';

let repo: ScratchRepo;
let outer = '';
let home = '';
beforeEach(() => {
  repo = scratchRepo({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n', '.gitignore': '.env\nnode_modules\n' } });
  outer = dirname(repo.dir);
  home = join(outer, 'home');
  mkdirSync(home);
});
afterEach(() => repo.remove());

const TOOLS = toolsOf(COMMANDS).filter(({ name }) => name.startsWith('worktree_'));

/** One tool as the server calls it: refusals are answers. */
async function tool(name: string, args: Readonly<Record<string, unknown>>): Promise<string> {
  const env = { ...process.env, HOME: home, RALPH_LOOP_ID: '' };
  const found = TOOLS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no tool ${name}`);
  try {
    const answer = await callTool(found, args, { cwd: repo.dir, env, onSay: () => {} });
    return JSON.stringify(answer);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return `refused ${error.code} ${error.message} ${error.remedy ?? 'NO REMEDY'}`;
  }
}

const MARK = 'zqx';
const CANARY = 'canary';

/** A parameter that several tools share is read by the same lines in each: once will do. */
const ownParameters = (tool: Tool): readonly Parameter[] =>
  tool.parameters.filter(
    (one) => one.kind !== 'flag' && TOOLS.find(({ parameters }) => parameters.includes(one)) === tool,
  );

/** What else each needs to come as far as the hostile argument. */
const BESIDE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  worktree_start: { feature_name: 'further' },
  worktree_cleanup: { name: 'sound' },
};

describe('hostile texts', () => {
  it('are inert or refused, in every argument of every tool', async () => {
    const canary = join(outer, CANARY);
    const texts = [
      `${MARK}' ";touch ${canary};'$(touch ${canary})\`touch ${canary}\``,
      `../${MARK}`,
      `${MARK}\nsecond\u0000\u001b[2J`,
      `--upload-pack=touch ${canary} ${MARK}`,
      MARK + 'a'.repeat(300),
      `${MARK}-ünï-日本語-🎉\u202e`,
      '',
    ];
    await tool('worktree_start', { feature_name: 'sound' });
    const before = repo.git('rev-parse', 'main', 'HEAD');
    const [asked, strange] = [new Set<string>(), [] as string[]];
    for (const each of TOOLS)
      for (const parameter of ownParameters(each))
        for (const text of texts) {
          const isPath = parameter.name.endsWith('_path');
          const value = parameter.kind === 'list' ? [text] : isPath ? `${home}/${text}` : text;
          const fresh = each.name === 'worktree_start' && isPath ? { feature_name: `fresh-${asked.size}` } : {};
          const told = await tool(each.name, { ...BESIDE[each.name], ...fresh, [parameter.name]: value });
          const what = `${each.name} ${parameter.name} ${JSON.stringify(text)}: ${told}`;
          asked.add(`${each.name} ${parameter.name} ${isPath ? text : ''}`);
          if (existsSync(canary)) strange.push(`${what}: EXECUTED`);
          if (told.startsWith('refused') && (!told.startsWith('refused E_') || told.endsWith('NO REMEDY')))
            strange.push(what);
        }
    expect(strange).toEqual([]);
    expect(asked.size).toBeGreaterThan(8);
    expect(strangeNames()).toEqual([]);
    expect(repo.git('rev-parse', 'main', 'HEAD')).toBe(before);
    expect(repo.git('status', '--porcelain')).toBe('');
  });
});

/** Whatever carries the mark in its name, outside of folders that were asked for and of names that mean nothing to a shell. */
function strangeNames(): readonly string[] {
  const found: string[] = [];
  const look = (dir: string): void => {
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      const path = join(dir, entry.name);
      if (entry.name.includes(MARK)) found.push(relative(outer, path));
      else if (entry.isDirectory() && entry.name !== 'objects') look(path);
    }
  };
  look(outer);
  const harmless = /^(?!-)(?:[\w.-]|[^\0-\x7f\p{C}])+$/u;
  const isAskedFor = (path: string): boolean => /^home\/(?!worktrees\/)|^repo\/\.git\/worktrees\//.test(path);
  const others = found.filter((path) => !isAskedFor(path));
  return others.filter((path) => !path.split('/').every((part) => !part.includes(MARK) || harmless.test(part)));
}
