// CPU time of looking at large task files, beside an empty Node and beside parsing the same text with `yaml` alone, in turns.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inRoot } from '../scripts/lib/root.mjs';
import { judge, median, ms, printTable } from './lib/figures.mjs';
import { MAIN } from './lib/ralph.mjs';
import { beadsIn } from './lib/beads.mjs';
import { makeRepository } from './lib/repository.mjs';

const TURNS = Number(process.argv.find((arg) => arg.startsWith('--turns='))?.slice('--turns='.length) ?? 9);
const TASKS = 1000;
const NODES = 5000;
const GROUPS = 20;

const ids = (count) => Array.from({ length: count }, (_, at) => `T-${at + 1}`);
/** Each builds on the one ten before it. */
const depOf = (at) => (at < 10 ? null : `T-${at - 9}`);

function graph(count) {
  const all = ids(count);
  const nodes = all.map(
    (id, at) =>
      `  - id: ${id}\n    title: Make ${id}\n    story: S-${at % GROUPS}\n    priority: ${at % 4}\n    status: pending\n    output: "src/${id}.ts"\n`,
  );
  const edges = all.flatMap((id, at) => (depOf(at) == null ? [] : [`  - {from: ${depOf(at)}, to: ${id}}\n`]));
  return `version: "1.0"\nnodes:\n${nodes.join('')}edges:\n${edges.join('')}meta: {by_status: {pending: ${count}, complete: 0}}\n`;
}

const FILES = {
  'PRD.md': `## Tasks\n\n${ids(TASKS)
    .map((id, at) => `- [ ] Make ${id} <!-- id: ${id} group: g${at % GROUPS} -->\n  - it works\n`)
    .join('')}`,
  'prd.json': `[\n${ids(TASKS)
    .map((id, at) =>
      JSON.stringify({
        id,
        title: `Make ${id}`,
        priority: at % 4,
        depends_on: depOf(at) == null ? [] : [depOf(at)],
        passes: false,
      }),
    )
    .join(',\n')}\n]\n`,
  'tasks.yaml': `tasks:\n${ids(TASKS)
    .map(
      (id, at) =>
        `  - id: ${id}\n    title: Make ${id}\n    group: g${at % GROUPS}\n    priority: ${at % 4}\n    completed: false\n`,
    )
    .join('')}`,
  'task-graph.yaml': graph(TASKS),
};

/** User and system time of a command. bash's `time` has milliseconds. */
function cpuMs(cwd, argv) {
  const script = 'TIMEFORMAT="%3U %3S"; { time "$@" >/dev/null 2>/dev/null; } 2>&1';
  const env = { ...process.env, LC_ALL: 'C' };
  const said = execFileSync('bash', ['-c', script, 'bash', ...argv], { cwd, encoding: 'utf8', env });
  const [user, system] = said.trim().split(/\s+/);
  return (Number(user) + Number(system)) * 1000;
}

const git = (cwd, ...args) => execFileSync('git', args, { cwd, encoding: 'utf8' });

function repositoryWith(name, text) {
  const repository = makeRepository({ naps: [0] });
  git(repository, 'rm', '-q', 'PRD.md');
  writeFileSync(join(repository, name), text);
  git(repository, 'add', '-A');
  git(repository, 'commit', '-qm', 'Plan');
  return repository;
}

const node = process.execPath;
const yaml = pathToFileURL(inRoot('node_modules/yaml/dist/index.js')).href;
const parsing = (file) => [
  node,
  '--input-type=module',
  '-e',
  `import { readFileSync } from 'node:fs'; import { parseDocument } from ${JSON.stringify(yaml)}; parseDocument(readFileSync(${JSON.stringify(file)}, 'utf8'));`,
];

/** Each row's commands in turns, so that a busy moment hits all alike. */
function measure(cwd, commands) {
  const taken = commands.map(() => []);
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const [index, argv] of commands.entries()) taken[index].push(cpuMs(cwd, argv));
  return taken.map(median);
}

/** Lines that a tick of the last task changes. */
function tickedLines(repository, name, id) {
  const before = readFileSync(join(repository, name), 'utf8').split('\n');
  execFileSync(node, [MAIN, 'tasks', 'done', id], { cwd: repository, stdio: 'pipe' });
  const after = readFileSync(join(repository, name), 'utf8').split('\n');
  return after.filter((line, at) => line !== before[at]).length + Math.abs(after.length - before.length);
}

const rows = [];
for (const [name, text] of Object.entries(FILES)) {
  const repository = repositoryWith(name, text);
  const isYaml = name.endsWith('.yaml');
  const beside = isYaml ? parsing(join(repository, name)) : [node, '-e', '0'];
  const [base, ready] = measure(repository, [beside, [node, MAIN, 'tasks', 'ready']]);
  const bound = isYaml ? 1.4 : 3;
  const lines = tickedLines(repository, name, `T-${TASKS}`);
  rows.push([
    `tasks ready, ${name}`,
    isYaml ? 'yaml alone' : 'node -e 0',
    ms(base),
    ms(ready),
    (ready / base).toFixed(2),
    String(bound),
    judge(ready / base, bound),
    String(lines),
  ]);
}
const large = repositoryWith('task-graph.yaml', graph(NODES));
const [parse, dry] = measure(large, [
  parsing(join(large, 'task-graph.yaml')),
  [node, MAIN, 'run', '--parallel', '--dry-run'],
]);
rows.push([
  `dry run, ${NODES} nodes`,
  'yaml alone',
  ms(parse),
  ms(dry),
  (dry / parse).toFixed(2),
  '2',
  judge(dry / parse, 2),
  '-',
]);
printTable(
  `trackers: CPU, median of ${TURNS} turns; ${TASKS} tasks`,
  ['what', 'beside', 'CPU', 'ours', 'ratio', 'at most', '', 'lines a tick changes'],
  rows,
);

const beads = beadsIn(TASKS);
if (beads === null)
  console.log('\ntrackers: no bd 1.3.0 here (CI=true node scripts/beads.mjs builds it), so nothing is said of Beads');
else {
  const { seen, looks, calls } = beads;
  printTable(
    `trackers: ${TASKS} issues of the real bd 1.3.0`,
    ['what', 'figure', 'wanted', ''],
    [
      ['issues seen', String(seen), String(TASKS), seen === TASKS ? 'PASS' : 'over'],
      [`calls of bd in each of ${looks} rounds of scheduling`, calls.toFixed(1), '2', judge(calls, 2)],
    ],
  );
}
