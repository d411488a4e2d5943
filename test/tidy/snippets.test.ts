import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/faces/cli/tables/table.ts';
import { problemLine } from '../../src/text/config/layer.ts';
import { crossCheck } from '../../src/text/config/cross-check.ts';
import { KEYS } from '../../src/text/config/keys.ts';
import { readTomlLayer } from '../../src/text/config/toml-layer.ts';
import { parseTracker } from '../../src/text/trackers/tracker.ts';
import { readText, repositoryFiles } from './support/repository.ts';

/** Pages that people read and paste from. References are generated from the tables themselves. */
const PAGES = repositoryFiles().filter((path) =>
  /^(README|CONTRIBUTING|SECURITY)\.md$|^docs\/guide\/.*\.md$/.test(path),
);
const FENCE = /^(`{3,})(\w*)\n([\s\S]*?)^\1$/gm;
const INLINE = /`((?:ralph|paralph) [^`\n]+)`/g;
/** Fences that hold tasks, and what tells them from others of their language. */
const TRACKERS = [
  ['markdown', 'markdown', /^- \[[ x]\] /m],
  ['json', 'json', /"(?:stories|tasks)"/],
  ['yaml', 'yaml', /^(?:tasks|stories|nodes):/m],
] as const;
/** A setting in a sentence: its dotted key, perhaps with a value. */
const INLINE_KEY = /`([a-z_]+(?:\.[a-zA-Z_]+)+)(?: = ([^`]+))?`/g;
const NAMES = new Set(KEYS.map(({ path }) => path));
const TABLES = new Set(KEYS.filter(({ path }) => path.includes('.')).map(({ path }) => path.split('.')[0] ?? ''));
/** Flags every command takes. */
const COMMON = ['--help', '-h', '--version'];
/** Where a sentence names several at once: `ralph tasks done|block`. */
const ALTERNATIVES = /\s*\|\s*(?=[a-z])/;

interface Snippet {
  readonly page: string;
  readonly line: number;
  readonly text: string;
}

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;

function fences(page: string, language: string): readonly Snippet[] {
  const text = readText(page);
  return [...text.matchAll(FENCE)]
    .filter(([, , written]) => written === language)
    .map((match) => ({ page, line: lineOf(text, match.index) + 1, text: match[3] ?? '' }));
}

/** Every `ralph …` of a shell fence: one for each command of a line, without its comment. */
function pasted(page: string): readonly Snippet[] {
  return fences(page, 'sh').flatMap(({ line, text }) =>
    text.split('\n').flatMap((row, n) =>
      words(row.replace(/(^|\s)#.*$/, ''))
        .filter(([first]) => first === 'ralph' || first === 'paralph')
        .map((parts) => ({ page, line: line + n, text: parts.join(' ') })),
    ),
  );
}

/** The commands of one line of shell, as words; what is quoted is an argument, whatever it begins with. */
function words(row: string): readonly (readonly string[])[] {
  const parts = row.match(/"[^"]*"|'[^']*'|&&|\|\||[|;&]|[^\s|;&]+/g) ?? [];
  const commands: string[][] = [[]];
  for (const part of parts) {
    if (/^(?:&&|\|\||[|;&])$/.test(part)) commands.push([]);
    else commands.at(-1)?.push(/^["']/.test(part) ? '""' : part);
  }
  return commands.filter((command) => command.length > 0);
}

/** What is wrong with a command line, or null. */
function fault(text: string): string | null {
  const [, ...rest] = text.split(' ');
  if (rest.length === 0 || COMMON.includes(rest[0] ?? '')) return null;
  const spec = COMMANDS.filter(({ name }) => `${rest.join(' ')} `.startsWith(`${name} `)).sort(
    (a, b) => b.name.length - a.name.length,
  )[0];
  if (spec == null) return `no command "${rest.slice(0, 2).join(' ')}"`;
  const known = spec.flags.flatMap(({ flag }) => flag.match(/--?[a-z][a-z-]*/g) ?? []);
  const flags = rest.filter((word) => /^--?[a-zA-Z]/.test(word)).map((word) => word.split('=')[0] ?? '');
  const short = spec.flags.flatMap(({ flag }) => flag.match(/(?<![\w-])-[a-zA-Z](?=[, ]|$)/g) ?? []);
  const strange = flags.find((flag) => ![...known, ...short, ...COMMON].includes(flag));
  return strange == null ? null : `ralph ${spec.name} has no ${strange}`;
}

const described = ({ page, line, text }: Snippet, why: string): string => `${page}:${line}: ${text}: ${why}`;

describe.each(PAGES)('what %s shows', (page) => {
  it('has commands with their flags', () => {
    const wrong = pasted(page).flatMap((snippet) => {
      const why = fault(snippet.text);
      return why == null ? [] : [described(snippet, why)];
    });
    expect(wrong).toEqual([]);
  });

  it('names commands that exist, in sentences too', () => {
    const text = readText(page).replaceAll(FENCE, (fence) => fence.replaceAll(/[^\n]/g, ' '));
    const wrong = [...text.matchAll(INLINE)].flatMap((match) => {
      const said = (match[1] ?? '').split(ALTERNATIVES)[0]?.replaceAll(/[[\]]/g, '').trim() ?? '';
      const why = fault((words(said)[0] ?? []).join(' '));
      return why == null ? [] : [described({ page, line: lineOf(text, match.index), text: said }, why)];
    });
    expect(wrong).toEqual([]);
  });

  it('has settings that a ralph.toml may hold', () => {
    const wrong = fences(page, 'toml').flatMap((snippet) => {
      const layer = readTomlLayer('repo', page, snippet.text);
      const problems = [...layer.problems, ...crossCheck([layer])];
      return problems.map((problem) => `${snippet.page}:${snippet.line}: ${problemLine(problem)}`);
    });
    expect(wrong).toEqual([]);
  });

  it('names settings that exist, in sentences too', () => {
    const text = readText(page).replaceAll(FENCE, (fence) => fence.replaceAll(/[^\n]/g, ' '));
    const wrong = [...text.matchAll(INLINE_KEY)].flatMap(({ 0: said, 1: key = '', 2: value, index }) => {
      if (!TABLES.has(key.split('.')[0] ?? '')) return [];
      const at = `${page}:${lineOf(text, index)}: ${said}`;
      if (!NAMES.has(key.replace(/^agents\.\w+\./, 'agents.*.'))) return [`${at}: no such setting`];
      if (value === undefined) return [];
      const layer = readTomlLayer('repo', page, `${key} = ${value}\n`);
      return layer.problems.map((problem) => `${at}: ${problemLine(problem)}`);
    });
    expect(wrong).toEqual([]);
  });

  it('has task files that can be read', () => {
    const wrong = TRACKERS.flatMap(([kind, language, holdsTasks]) =>
      fences(page, language)
        .filter(({ text }) => holdsTasks.test(text))
        .flatMap(({ line, text }) =>
          parseTracker(kind, text).problems.map(({ message }) => `${page}:${line}: ${message}`),
        ),
    );
    expect(wrong).toEqual([]);
  });
});
