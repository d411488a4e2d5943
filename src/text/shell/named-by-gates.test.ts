import { describe, expect, it } from 'vitest';
import { changedScripts, namedByGates } from './named-by-gates.ts';

const files = (...commands: string[]): readonly string[] => namedByGates(commands).files;
const scripts = (...commands: string[]): string[] =>
  namedByGates(commands)
    .scripts.map(({ manifest, name }) => `${manifest}#${name}`)
    .filter((one) => !/#(pre|post)/.test(one));

describe('namedByGates', () => {
  it.each([
    ['./gate.sh', 'gate.sh'],
    ['sh gate.sh --fast', 'gate.sh'],
    ['bash ./ci/test.sh', 'ci/test.sh'],
    ['CI=1 node --test test.mjs', 'test.mjs'],
    ['cd web && ./check.sh', 'web/check.sh'],
    ['(cd web && true); sh gate.sh', 'gate.sh'],
    ['timeout 60 ./gate.sh | tee log', 'gate.sh'],
    ['bash -c "./scripts/x.sh && true"', 'scripts/x.sh'],
    ['test "$(node count.mjs)" = 3', 'count.mjs'],
    ['sh < gate.sh', 'gate.sh'],
    ['tsc --project=tsconfig.test.json', 'tsconfig.test.json'],
    ['if ! sh gate.sh; then exit 1; fi', 'gate.sh'],
  ])('%s names %s', (command, file) => {
    expect(files(command)).toContain(file);
  });

  it('does not take for part of a gate what it looks at, writes, globs, or has elsewhere', () => {
    expect(files('grep -q x README.md', 'test -e a.txt', 'cat log.txt', 'cmp a.lock b.lock')).toEqual([]);
    expect(files('npx eslint src/a.js', 'prettier --check b.js', 'node --check c.js', 'bash -n d.sh')).toEqual([]);
    expect(files('python3 -m py_compile e.py', 'node x.mjs package.json')).toEqual(['node', 'x.mjs']);
    expect(files('npm test > out.txt')).not.toContain('out.txt');
    expect(files('sh ../x.sh', 'sh /etc/x.sh', 'sh scripts/*.sh', 'sh $X/gate.sh')).toEqual(['sh']);
    expect(files('(cd web && x); sh gate.sh')).not.toContain('web/gate.sh');
  });

  it.each([
    ['npm test', 'package.json#test'],
    ['npm t', 'package.json#test'],
    ['npm run -s lint -- --fix', 'package.json#lint'],
    ['pnpm lint', 'package.json#lint'],
    ['yarn run build', 'package.json#build'],
    ['bun run x', 'package.json#x'],
    ['CI=1 timeout 9 npm test', 'package.json#test'],
    ['cd web && npm test', 'web/package.json#test'],
    ['npm --prefix web run x', 'web/package.json#x'],
    ['yarn --cwd=web x', 'web/package.json#x'],
  ])('%s calls %s', (command, script) => {
    expect(scripts(command)).toContain(script);
  });

  it('knows what make and just read', () => {
    expect(namedByGates(['make -C sub test', 'just check']).recipes).toEqual(
      expect.arrayContaining(['sub/Makefile', 'justfile']),
    );
    expect(namedByGates(['cmake x']).recipes).toEqual([]);
  });
});

describe('changedScripts', () => {
  const called = namedByGates(['npm test']).scripts;
  const json = (scripts: object, more: object = {}): string => JSON.stringify({ ...more, scripts });
  const before = json({ test: 'npm run unit && npm run lint', unit: 'node --test', pretest: 'tsc', build: 'b' });
  const change = (after: string | null): readonly string[] => changedScripts(called, 'package.json', before, after);

  it('sees a called script that is other or gone, also one called by another', () => {
    const same = { test: 'npm run unit && npm run lint', unit: 'node --test', pretest: 'tsc', build: 'b' };
    expect(change(json({ ...same, test: 'true' }))).toEqual(['test']);
    expect(change(json({ ...same, unit: 'true' }))).toEqual(['unit']);
    expect(change(json({ ...same, pretest: 'true' }))).toEqual(['pretest']);
    expect(change(json({}))).toEqual(['pretest', 'test', 'unit']);
    expect(change(null)).toHaveLength(3);
    expect(change('no json')).toHaveLength(3);
  });

  it('lets everything else of it change', () => {
    const same = {
      build: 'other',
      more: 'x',
      pretest: 'tsc',
      unit: 'node --test',
      lint: 'new',
      test: 'npm run unit && npm run lint',
    };
    expect(change(json(same, { version: '2.0.0', dependencies: { a: '1' } }))).toEqual([]);
    expect(changedScripts(called, 'package.json', '{}', json({ test: 'true' }))).toEqual([]);
    expect(changedScripts(called, 'web/package.json', before, '{}')).toEqual([]);
  });
});
