import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/core/errors.ts';
import { DEFAULT_TEMPLATE, DEFAULT_TEMPLATE_TEXT } from '../../src/text/prompt/default-template.ts';
import { VARIABLE_NAMES } from '../../src/text/prompt/variables.ts';
import { loadPromptTemplate } from '../../src/world/prompt-files.ts';

const WHOLE = '{{task_title}} {{task_body}} {{promise_rule}}\n';

let outer = '';
let root = '';
let folder = '';
beforeEach(() => {
  outer = realpathSync(mkdtempSync(join(tmpdir(), 'prompt-files-')));
  root = join(outer, 'repo');
  folder = join(root, '.ralph/prompts');
  mkdirSync(folder, { recursive: true });
});
afterEach(() => rmSync(outer, { recursive: true, force: true }));

const write = (name: string, content: string | Buffer): void => writeFileSync(join(folder, name), content);

function refusal(): AppError {
  try {
    loadPromptTemplate(root);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

describe('loadPromptTemplate', () => {
  it('is the default one without a file, or without a folder', () => {
    expect(loadPromptTemplate(root)).toEqual({ template: DEFAULT_TEMPLATE, warnings: [] });
    rmSync(join(root, '.ralph'), { recursive: true });
    expect(loadPromptTemplate(root)).toEqual({ template: DEFAULT_TEMPLATE, warnings: [] });
  });

  it('takes the file that is there, also through a link inside the checkout', () => {
    write('iteration.md', DEFAULT_TEMPLATE_TEXT);
    expect(loadPromptTemplate(root)).toEqual({ template: DEFAULT_TEMPLATE, warnings: [] });
    rmSync(join(folder, 'iteration.md'));
    writeFileSync(join(root, 'mine.md'), WHOLE);
    symlinkSync('../../mine.md', join(folder, 'iteration.md'));
    const { template, warnings } = loadPromptTemplate(root);
    expect(template.paragraphs).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  it('tells back other names, and what an agent would miss', () => {
    write('.gitignore', '');
    write('iterations.md', 'x');
    write('iteration.md', '{{task_title}}');
    const { warnings } = loadPromptTemplate(root);
    expect(warnings[0]).toContain('.ralph/prompts/iterations.md is not used');
    expect(warnings.slice(1)).toEqual([
      '.ralph/prompts/iteration.md has no {{task_body}}: an agent is not told what the task says',
      '.ralph/prompts/iteration.md has no {{promise_rule}}: an agent is not told how to say that it is done',
    ]);
  });

  it('says where every problem is and how to mend it', () => {
    write('iteration.md', 'a\n {{task_boddy}}\n{{');
    const error = refusal();
    expect(error).toMatchObject({ code: 'E_PROMPT', exit: 3, remedy: '$EDITOR .ralph/prompts/iteration.md' });
    expect(error.message).toContain('2 problems');
    expect(error.facts[0]).toBe(
      '.ralph/prompts/iteration.md:2:2 there is no variable "task_boddy"; did you mean {{task_body}}?',
    );
    expect(error.facts[1]).toMatch(/^\.ralph\/prompts\/iteration\.md:3:1 \{\{ is not closed/);
  });

  it('names the place of bytes that are no text', () => {
    write('iteration.md', Buffer.concat([Buffer.from('grün\nab'), Buffer.from([0xff, 0x41])]));
    expect(refusal().facts).toEqual(['.ralph/prompts/iteration.md:2:3 is not UTF-8 text']);
  });

  it('takes 256 KB and no byte more', () => {
    write('iteration.md', WHOLE.padEnd(256 * 1024, 'x'));
    expect(loadPromptTemplate(root).warnings).toEqual([]);
    write('iteration.md', WHOLE.padEnd(256 * 1024 + 1, 'x'));
    expect(refusal().message).toContain('262145 bytes');
  });

  it.each([
    ['a link out of the checkout', (file: string) => symlinkSync(join(outer, 'secret.md'), file), 'leads out'],
    ['a link to nowhere', (file: string) => symlinkSync('nowhere', file), 'leads nowhere'],
    ['a folder', (file: string) => mkdirSync(file), 'not a plain file'],
    ['a pipe nobody writes to', (file: string) => void execFileSync('mkfifo', [file]), 'not a plain file'],
  ])('refuses %s', (_, make, why) => {
    writeFileSync(join(outer, 'secret.md'), WHOLE);
    make(join(folder, 'iteration.md'));
    const error = refusal();
    expect(error.code).toBe('E_PROMPT');
    expect(error.message).toContain(why);
    expect(error.remedy).toContain('.ralph/prompts/iteration.md');
  });

  it('refuses a file in a folder that leads out of the checkout', () => {
    rmSync(folder, { recursive: true });
    mkdirSync(join(outer, 'elsewhere'));
    writeFileSync(join(outer, 'elsewhere/iteration.md'), WHOLE);
    symlinkSync(join(outer, 'elsewhere'), folder);
    expect(refusal().message).toContain('leads out');
  });
});

describe('the guide', () => {
  const guide = readFileSync(new URL('../../docs/guide/prompts.md', import.meta.url), 'utf8');
  const rows = [...guide.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name]) => name);

  it('has a row for every variable and for nothing else', () => expect(rows).toEqual(VARIABLE_NAMES));

  it('shows the template that is used', () =>
    expect(guide).toContain(`\`\`\`\`markdown\n${DEFAULT_TEMPLATE_TEXT}\`\`\`\``));
});
