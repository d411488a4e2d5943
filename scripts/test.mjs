#!/usr/bin/env node
// Everything: install, build, checks, all tests. Works as the first command in a fresh clone.
import { relative } from 'node:path';
import { build, buildTest } from './build.mjs';
import { buildBeads } from './lib/beads.mjs';
import { runChecks } from './lib/checks.mjs';
import { installClients } from './lib/clients.mjs';
import { filesBelow } from './lib/files.mjs';
import { buildGitea } from './lib/gitea.mjs';
import { rerunAlone } from './lib/rerun.mjs';
import { ROOT, inRoot } from './lib/root.mjs';
import { closeWith } from './lib/tally.mjs';
import { installActionlint, installJust, installTools } from './lib/tools.mjs';
import { runVitest } from './lib/vitest-run.mjs';
import { setup } from './setup.mjs';

/** The second half needs clients and tools, which are installed while the first runs. */
const PROJECTS = [
  ['pure', 'tidy', 'model'],
  ['world', 'e2e', 'clients'],
];

async function tryBuild() {
  try {
    for (const line of [await build(), await buildTest()]) console.log(line);
    return { passed: 1, failed: 0, skipped: 0 };
  } catch (error) {
    console.log(`FAILED build\n${error.stack}`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

/** Clients are only for their own tests: one file of those must be asked for. */
function areClientsAsked(filters) {
  const files = filesBelow(inRoot('test', 'clients')).map((path) => relative(ROOT, path));
  return filters.length === 0 || filters.some((filter) => files.some((file) => file.includes(filter)));
}

/** What `--all` makes larger: the same tests with more seeds, more killed writers, a longer soak. */
const LONG_LOOK = {
  SIM_SEEDS: '4000',
  LANDING_MODEL: '20000',
  LANDING_WORKLOADS: '60',
  LOG_KILLED: '50',
  SOAK: '2000',
};

/** One after the other: each alone takes every core. */
const buildAll = async () => [...(await buildBeads()), ...(await buildGitea())];

console.log(await setup());
const words = process.argv.slice(2);
if (words.includes('--all')) Object.assign(process.env, { ...LONG_LOOK, ...process.env });
const filters = words.filter((word) => word !== '--all');
const installing = areClientsAsked(filters) ? installClients() : [];
const tooling = installTools();
// Minutes once, and only where nobody waits at a machine of their own.
const building = filters.length === 0 ? buildAll() : [];
for (const line of [...(await installActionlint()), ...(await installJust())]) console.log(line);
const parts = [await tryBuild()];
if (filters.length === 0) parts.push(await runChecks());
const [alone, withOthers] = PROJECTS;
const options = { isBuilt: parts[0].failed === 0 };
parts.push(await runVitest(alone, filters, options));
for (const line of [...(await tooling), ...(await installing), ...(await building)]) console.log(line);
parts.push(await runVitest(withOthers, filters, options));
const runFile = (file) => runVitest(PROJECTS.flat(), [file], options);
// Without a build there is nothing a second look could change.
closeWith(options.isBuilt ? await rerunAlone(parts, { runFile, tell: (line) => console.log(line) }) : parts);
