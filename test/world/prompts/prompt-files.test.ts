import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/model/errors.ts';
import { PROMPT_KINDS, PROMPT_NAMES } from '../../../src/text/prompt/prompt-kinds.ts';
import type { PromptFacts, ReworkFacts } from '../../../src/text/prompt/facts.ts';
import { VARIABLE_NAMES } from '../../../src/text/prompt/variables.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { checkPromptFiles, loadPromptTemplate } from '../../../src/world/prompts/prompt-files.ts';
import { openPrompts } from '../../../src/world/prompts/prompts.ts';

const DEFAULT = PROMPT_KINDS.iteration;
const WHOLE = '{{task_title}} {{task_body}} {{rework}} {{promise_rule}}\n';

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
    checkPromptFiles(root);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

describe('loadPromptTemplate', () => {
  it('is the default one without a file, or without a folder', () => {
    expect(loadPromptTemplate(root, 'iteration')).toEqual({ template: DEFAULT.template, warnings: [] });
    rmSync(join(root, '.ralph'), { recursive: true });
    expect(loadPromptTemplate(root, 'iteration')).toEqual({ template: DEFAULT.template, warnings: [] });
  });

  it('takes the file that is there, also through a link inside the checkout', () => {
    write('iteration.md', DEFAULT.text);
    expect(loadPromptTemplate(root, 'iteration')).toEqual({ template: DEFAULT.template, warnings: [] });
    rmSync(join(folder, 'iteration.md'));
    writeFileSync(join(root, 'mine.md'), WHOLE);
    symlinkSync('../../mine.md', join(folder, 'iteration.md'));
    const { template, warnings } = loadPromptTemplate(root, 'iteration');
    expect(template.paragraphs).toHaveLength(1);
    expect(warnings).toEqual([]);
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
    expect(loadPromptTemplate(root, 'iteration').warnings).toEqual([]);
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

describe('templates for conflicts', () => {
  it.each(PROMPT_NAMES)('%s.md is read from the folder, and its default can be written there as it is', (name) => {
    write(`${name}.md`, PROMPT_KINDS[name].text);
    expect(loadPromptTemplate(root, name)).toEqual({ template: PROMPT_KINDS[name].template, warnings: [] });
    write(`${name}.md`, 'mine');
    expect(loadPromptTemplate(root, name).template.paragraphs).toEqual([{ gap: '\n', pieces: [{ text: 'mine' }] }]);
    rmSync(join(folder, `${name}.md`));
    expect(loadPromptTemplate(root, name)).toEqual({ template: PROMPT_KINDS[name].template, warnings: [] });
  });

  it('have one with a place for a part, and only one', () => {
    write('merger.md', '{{role}} {{intents}} {{promise_rule}}');
    write('resolver.md', '{{conflict_files}} {{role}}');
    expect(loadPromptTemplate(root, 'merger').warnings).toEqual([]);
    expect(refusal().facts[0]).toMatch(/^\.ralph\/prompts\/resolver\.md:1:20 there is no variable "role"/);
  });
});

describe('checkPromptFiles', () => {
  it('has nothing to say where there is nothing', () => expect(checkPromptFiles(root)).toEqual({ warnings: [] }));

  it('tells back other names, and what an agent would miss', () => {
    write('.gitignore', '');
    write('notes.txt', 'x');
    write('iterations.md', 'x');
    write('iteration.md', '{{task_title}}');
    write('merger.md', '{{promise_rule}}');
    write('cleaner.md', '{{strayed}}');
    expect(checkPromptFiles(root).warnings).toEqual([
      '.ralph/prompts/iterations.md is not used: no template has that name; did you mean iteration.md?',
      '.ralph/prompts/notes.txt is not used: no template has that name; there are iteration.md, orchestrate.md, merger.md, resolver.md, tester.md, cleaner.md',
      '.ralph/prompts/iteration.md has no {{task_body}}: the prompt does not say what the task says',
      '.ralph/prompts/iteration.md has no {{rework}}: the prompt does not say why its work came back',
      '.ralph/prompts/iteration.md has no {{promise_rule}}: the prompt does not say how to say that it is done',
      '.ralph/prompts/merger.md has no {{role}}: the prompt does not say what its part is',
      '.ralph/prompts/merger.md has no {{intents}}: the prompt does not say what both sides want',
      '.ralph/prompts/cleaner.md has no {{markers_left}}: the prompt does not say where markers are left',
    ]);
  });

  it.each(PROMPT_NAMES)('refuses a %s.md that cannot be used', (name) => {
    write(`${name}.md`, 'a {{b}}');
    expect(refusal()).toMatchObject({ code: 'E_PROMPT', remedy: `$EDITOR .ralph/prompts/${name}.md` });
  });
});

describe('openPrompts', () => {
  const facts = (rework: ReworkFacts | null): Omit<PromptFacts, 'memories'> => ({
    task: { id: 'a', title: 'Add a', body: '', acceptance: [] },
    iteration: 1,
    dependencies: [],
    earlier: null,
    gateFailure: null,
    halfDone: null,
    lastFailure: null,
    guidance: [],
    others: [],
    gates: [],
    rework,
    foreseen: [],
    signal: 'promise',
    promise: 'COMPLETE',
  });
  const rework = (role: ReworkFacts['role']): ReworkFacts => ({
    kind: 'conflict',
    role,
    target: 'main',
    paths: ['a.txt'],
    markersLeft: [],
    strayed: [],
    mine: { id: 'a', title: 'Add a', body: '' },
    theirs: [],
    detail: 'conflicts',
  });

  it('takes the template for whoever is told, read anew each time', () => {
    execFileSync('git', ['init', '-q', root]);
    const { build } = openPrompts(findRepository(root), { memoryTokens: 0 });
    for (const name of PROMPT_NAMES) write(`${name}.md`, `${name} of mine`);
    write('merger.md', 'frame: {{role}}.');
    expect(build(facts(null))).toBe('iteration of mine\n');
    expect(build(facts(rework('owner')))).toBe('iteration of mine\n');
    expect(build(facts(rework('resolver')))).toBe('frame: resolver of mine.\n');
    expect(build(facts(rework('tester')))).toBe('frame: tester of mine.\n');
    expect(build(facts(rework('cleaner')))).toBe('frame: cleaner of mine.\n');
    write('cleaner.md', 'other: {{conflict_files}}');
    expect(build(facts(rework('cleaner')))).toMatch(/^frame: other: ## Files with conflicts\n[^]*- a\.txt\n/);
    rmSync(join(folder, 'merger.md'));
    expect(build(facts(rework('resolver')))).toMatch(/^# Merge task a: Add a\n[^]*\nresolver of mine\n/);
  });
});

describe('the guide', () => {
  const guide = readFileSync(new URL('../../../docs/guide/prompts.md', import.meta.url), 'utf8');
  const rows = [...guide.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name]) => name);

  it('has a row for every variable and for nothing else', () => expect(rows).toEqual(VARIABLE_NAMES));

  it.each(PROMPT_NAMES)('shows the default of %s.md', (name) =>
    expect(guide).toContain(`\`\`\`\`markdown\n${PROMPT_KINDS[name].text}\`\`\`\``),
  );
});
