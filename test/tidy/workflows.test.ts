import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { actionlint } from '../../scripts/lib/tools.mjs';
import { itAllowed } from '../needs.ts';
import { ROOT, readText } from './support/repository.ts';

const FOLDER = '.github/workflows';
const RUN = /\bnpm (?:run )?([a-z]+)\b/g;
const OF_NPM = new Set(['publish', 'test']);

const program = actionlint();

describe('the workflows', () => {
  itAllowed('actionlint', program != null)('are what the forge understands', () => {
    const said = execFileSync(program ?? '', ['-color=false'], { cwd: ROOT, encoding: 'utf8' });
    expect(said).toBe('');
  });

  it('call scripts that exist', () => {
    const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
    const texts = readdirSync(join(ROOT, FOLDER)).map((name) => readText(`${FOLDER}/${name}`));
    const npm = texts.flatMap((text) => [...text.matchAll(RUN)].map(([, name]) => name ?? ''));
    expect(npm).toContain('check');
    expect(npm.filter((name) => !(name in scripts) && !OF_NPM.has(name))).toEqual([]);
    const files = texts.flatMap((text) => [...text.matchAll(/\bnode (scripts\/\S+)/g)].map(([, path]) => path ?? ''));
    expect(files.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('the oldest Node they test is the one the package asks for', () => {
    const { engines } = JSON.parse(readText('package.json')) as { engines: { node: string } };
    const { jobs } = parse(readText(`${FOLDER}/ci.yml`)) as {
      jobs: { test: { strategy: { matrix: { node: number[] } } } };
    };
    expect(engines.node).toMatch(new RegExp(`^>=${Math.min(...jobs.test.strategy.matrix.node)}\\.`));
    expect(readText('.nvmrc').trim()).toBe(String(Math.min(...jobs.test.strategy.matrix.node)));
  });
});
