import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../..');
const FENCE = /^(`{3,})(\w*)\n([\s\S]*?)^\1$/gm;

export interface Line {
  /** Where it is: `docs/guide/keep.md:12`. */
  readonly at: string;
  readonly page: string;
  /** As it is typed, without its comment. */
  readonly text: string;
}

export const readPage = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** Every line of the shell fences of a page. */
export function shellLines(page: string): readonly Line[] {
  const text = readPage(page);
  return [...text.matchAll(FENCE)]
    .filter(([, , language]) => language === 'sh')
    .flatMap((fence) => {
      const first = text.slice(0, fence.index).split('\n').length + 1;
      return (fence[3] ?? '').split('\n').map((row, n) => ({
        at: `${page}:${first + n}`,
        page,
        text: row.replace(/(^|\s)#.*$/, '').trim(),
      }));
    })
    .filter(({ text: row }) => row !== '');
}

/** The text of the first fence of that language. */
export function fenceOf(page: string, language: string): string {
  return [...readPage(page).matchAll(FENCE)].find(([, , written]) => written === language)?.[3] ?? '';
}
