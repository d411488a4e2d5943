import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';
import { readText, repositoryFiles, sourceFiles } from './support/repository.ts';

/** Words that read translated, with what says the same plainly. */
const PLAINLY: Readonly<Record<string, string>> = {
  whoever: 'name who: the host, the agent, a person',
  somebody: 'name who: a person, another user, another loop',
  nobody: 'name who does not: no host, no loop',
  anybody: 'name who',
  everybody: 'name who',
  told: 'says, gets, reports',
  stands: 'is',
  'for want of': 'without, because there is no',
  'goes on': 'continues, resumes',
  'go on': 'continue, resume',
  'going on': 'continuing',
  'of ours': 'of paralph, that paralph made',
  'let go': 'delete, resume, release',
  'thrown away': 'discarded',
  'put aside': 'parked',
  'has to go': 'has to be deleted',
  'once more': 'again',
};
const AVOIDED = new RegExp(`(?<![\\w-])(?:${Object.keys(PLAINLY).join('|')})(?![\\w-])`, 'gi');
/** What a fence shows is output or code; in shell lines and settings there are comments, which are ours. */
const FENCE = /^(`{3,}|~{3,})[\s\S]*?^\1/gm;
const HAS_COMMENTS = /^`+(?:sh|toml)\n/;
const PAGES =
  /^(?:README|ARCHITECTURE|SECURITY|CONTRIBUTING|CHANGELOG)\.md$|^docs\/(?:guide|reference)\/|^plugin\/.*\.md$/;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly cooked: string | null } }[];
}

/** The texts of a source file, with where each begins; what is between the holes of a template is one text. */
function textsIn(code: string): readonly { readonly at: number; readonly text: string }[] {
  const texts: { at: number; text: string }[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) return node.forEach(visit);
    const { type, start, value, quasis } = node as Node;
    if (type === 'Literal' && typeof value === 'string') texts.push({ at: start, text: value });
    if (type === 'TemplateLiteral')
      texts.push({ at: start, text: (quasis ?? []).map((part) => part.value.cooked ?? '').join('\0') });
    Object.values(node).forEach(visit);
  };
  visit(parseAst(code, { lang: 'ts' }));
  return texts;
}

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;
const avoidedIn = (text: string): readonly string[] => [...text.matchAll(AVOIDED)].map(([word]) => word.toLowerCase());
const said = (path: string, line: number, word: string): string => `${path}:${line}: "${word}": ${PLAINLY[word] ?? ''}`;

/** What an error says begins in lower case, as a part of `error[CODE]: ...`, and has no full stop. */
const LOUD = /new AppError\(\s*(?:[\w.]+|'E_\w+'),\s*(?:'[A-Z][a-z]* |`[A-Z][a-z]* |'[^'\n]*\.'|`[^`\n]*\.`)/g;

describe('what people read', () => {
  it('has no word of the list in what commands print', () => {
    const found = sourceFiles()
      .filter((path) => !path.endsWith('.test.ts'))
      .flatMap((path) => {
        const code = readText(path);
        return textsIn(code).flatMap(({ at, text }) =>
          // A single word is a name or a value, not a sentence.
          text.includes(' ') ? avoidedIn(text).map((word) => said(path, lineOf(code, at), word)) : [],
        );
      });
    expect(found).toEqual([]);
  });

  it.each(repositoryFiles().filter((path) => PAGES.test(path)))('has no word of the list in %s', (path) => {
    const text = readText(path).replaceAll(FENCE, (fence) =>
      HAS_COMMENTS.test(fence) ? fence : fence.replaceAll(/[^\n]/g, ' '),
    );
    const found = [...text.matchAll(AVOIDED)].map(({ 0: word, index }) =>
      said(path, lineOf(text, index), word.toLowerCase()),
    );
    expect(found).toEqual([]);
  });

  it('has errors in one form', () => {
    const found = sourceFiles().flatMap((path) =>
      [...readText(path).matchAll(LOUD)].map(
        ({ 0: words, index }) => `${path}:${lineOf(readText(path), index)}: ${words}`,
      ),
    );
    expect(found).toEqual([]);
  });

  it('is seen where it is not plain', () => {
    expect(
      textsIn("const a: string = 'nobody knows'; b`whoever ${a} is`;").flatMap(({ text }) => avoidedIn(text)),
    ).toEqual(['nobody', 'whoever']);
    for (const code of ["new AppError('E_GIT', 'The branch is gone')", "new AppError('E_GIT', `${a} is gone.`)"])
      expect(code.match(LOUD), code).not.toBeNull();
    expect("new AppError('E_GIT', `HEAD is detached`)".match(LOUD)).toBeNull();
  });
});
