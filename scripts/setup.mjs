#!/usr/bin/env node
// Makes a fresh clone ready. Plain Node, no package: it runs before there is any.
import { spawnSync } from 'node:child_process';
import { lstatSync, statSync, utimesSync } from 'node:fs';
import { withLock } from './lib/lock.mjs';
import { ROOT, inRoot, isCalled } from './lib/root.mjs';

const NODE_MIN = [20, 19];
const INSTALLED = inRoot('node_modules', '.package-lock.json');

function assertNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return;
  throw new Error(`Node ${NODE_MIN.join('.')} or newer is needed, this is ${process.versions.node}`);
}

const changedMs = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const isCurrent = () => changedMs(INSTALLED) >= changedMs(inRoot('package-lock.json'));

/** Installing empties the folder first, and with it whatever a link there leads to. */
function assertOwnFolder() {
  if (lstatSync(inRoot('node_modules'), { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  throw new Error('node_modules is a link to another folder; remove it: rm node_modules');
}

function install() {
  assertOwnFolder();
  const startedMs = Date.now();
  const args = ['ci', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const result = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8' });
  if (result.error != null) throw result.error;
  if (result.status !== 0) throw new Error(`npm ci failed\n${result.stdout}${result.stderr}`);
  utimesSync(INSTALLED, new Date(), new Date());
  return `setup: packages installed in ${((Date.now() - startedMs) / 1000).toFixed(1)} s`;
}

/** Installs the development packages when they are missing or older than the lock file. */
export async function setup() {
  assertNode();
  if (isCurrent()) return 'setup: packages are current';
  return await withLock('setup', () => (isCurrent() ? 'setup: packages are current' : install()));
}

if (isCalled(import.meta.url)) console.error(await setup());
