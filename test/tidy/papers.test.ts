import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CATALOG } from '../../src/core/model/errors.ts';
import { ROOT, readText, repositoryFiles } from './support/repository.ts';

const PAPERS = ['README', 'ARCHITECTURE', 'GLOSSARY', 'CONTRIBUTING', 'CHANGELOG', 'SECURITY', 'AGENTS'];
const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;
const FENCE = /^(`{3,}|~{3,})[\s\S]*?^\1/gm;

const markdown = repositoryFiles().filter((path) => path.endsWith('.md'));

/** The anchor a heading gets: lower case, spaces to dashes, marks dropped. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .trim()
    .replaceAll(' ', '-');

const anchorsIn = (path: string): readonly string[] =>
  [
    ...readText(path)
      .replaceAll(FENCE, '')
      .matchAll(/^#+ (.+)$/gm),
  ].map(([, heading]) => anchorOf(heading ?? ''));

function isBroken(from: string, link: string): boolean {
  if (/^[a-z]+:/.test(link)) return false;
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? from : normalize(join(dirname(from), file));
  if (!existsSync(join(ROOT, target))) return true;
  return anchor != null && target.endsWith('.md') && !anchorsIn(target).includes(anchor);
}

describe('the papers', () => {
  it.each(PAPERS)('%s.md is there', (name) => {
    expect(markdown).toContain(`${name}.md`);
  });

  it('every link leads somewhere', () => {
    const broken = markdown.flatMap((path) =>
      [...readText(path).replaceAll(FENCE, '').matchAll(LINK)]
        .map(([, link]) => link ?? '')
        .filter((link) => isBroken(path, link))
        .map((link) => `${path}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  const walked = (what: string): readonly string[] => {
    const walk =
      new RegExp(`^## The walk of one ${what}$([\\s\\S]*?)^## `, 'm').exec(readText('ARCHITECTURE.md'))?.[1] ?? '';
    return [...walk.matchAll(/`(src\/[^`]+\.ts)`/g)].map(([, path]) => path ?? '');
  };

  it('the walks of one task and of one landing name at most 50 files, each once, all there', () => {
    const files = [...walked('task'), ...walked('landing')];
    expect(files.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(walked('task').length).toBeGreaterThan(20);
    expect(walked('landing').length).toBeGreaterThanOrEqual(10);
    expect(files.length).toBeLessThanOrEqual(50);
    expect(new Set(files).size).toBe(files.length);
  });

  it('the map fits into ten minutes', () => {
    expect(readText('ARCHITECTURE.md').split('\n').length - 1).toBeLessThanOrEqual(200);
  });

  it('the changelog has a place for what comes next', () => {
    const [first] = readText('CHANGELOG.md').matchAll(/^## (.+)$/gm);
    expect(first?.[1]).toBe('[Unreleased]');
    const section = readText('CHANGELOG.md').split(/^## /m)[1] ?? '';
    expect([...section.matchAll(/^- /gm)].length, 'what a user gets, not what was mended').toBeLessThanOrEqual(40);
  });

  it('troubleshooting has every error of the catalog under a symptom', () => {
    const page = readText('docs/guide/troubleshooting.md');
    const codes = Object.keys(CATALOG);
    expect(codes.length).toBeGreaterThan(40);
    expect(codes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
    expect(
      [...page.matchAll(/`(E_[A-Z_]+)`/g)].map(([, code]) => code).filter((code) => !codes.includes(code ?? '')),
    ).toEqual([]);
  });

  it('the README is read to its end', () => {
    expect(readText('README.md').split('\n').length - 1).toBeLessThanOrEqual(150);
  });

  it('decisions are numbered without gaps and have their three parts', () => {
    const decisions = markdown.filter((path) => path.startsWith('docs/adr/')).sort();
    const numbers = decisions.map((path) => Number(/(\d{4})-/.exec(path)?.[1]));
    expect(numbers).toEqual(decisions.map((_, index) => index + 1));
    for (const path of decisions) {
      const headings = [...readText(path).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
      expect(headings, path).toEqual(['Context', 'Decision', 'Consequences']);
    }
  });
});
