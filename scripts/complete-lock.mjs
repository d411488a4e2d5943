#!/usr/bin/env node
// Run after adding a package: `npm ci` refuses a lock file that lacks an optional package, and npm leaves out
// those of other platforms whenever it could not look them up. They are named here by version alone.
import { readFileSync, writeFileSync } from 'node:fs';
import { inRoot, isCalled } from './lib/root.mjs';

const PLATFORM = /(android|darwin|freebsd|linux|openharmony|wasm32|win32)-([a-z0-9]+)(?:-([a-z]+))?$/;

/** Which machines a package is for, read from its name: `…-linux-x64-musl`. */
function platformOf(name) {
  const match = PLATFORM.exec(name);
  if (match == null) throw new Error(`${name} names no platform; add it to the lock file by hand`);
  const [, os, cpu, flavour] = match;
  if (os === 'wasm32') return { cpu: ['wasm32'] };
  const libc =
    os === 'linux' && cpu !== 'arm' && flavour != null ? { libc: [flavour === 'musl' ? 'musl' : 'glibc'] } : {};
  return { cpu: [cpu], os: [os], ...libc };
}

/** The key under which Node would find `name` from the package at `key`, and the folders it looks in, inmost first. */
function lookup(packages, key, name) {
  const folders = [];
  for (let base = key; ; base = base.slice(0, Math.max(base.lastIndexOf('/node_modules/'), 0))) {
    folders.push(`${base === '' ? '' : `${base}/`}node_modules/${name}`);
    if (base === '') break;
  }
  return { found: folders.find((folder) => folder in packages), folders };
}

/** The optional packages the lock file ought to name and does not. */
export function missingOptional(packages) {
  const missing = {};
  for (const [key, entry] of Object.entries(packages)) {
    for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
      const { found, folders } = lookup({ ...packages, ...missing }, key, name);
      const isExact = /^\d/.test(range);
      if (found != null && (!isExact || (packages[found] ?? missing[found]).version === range)) continue;
      const place = found == null ? folders.at(-1) : folders.at(-2);
      const { cpu, libc, os } = platformOf(name);
      // In npm's own order of keys, so that its next write changes nothing.
      missing[place] = {
        version: range,
        cpu,
        dev: true,
        libc,
        license: entry.license,
        optional: true,
        os,
        engines: entry.engines,
      };
    }
  }
  return missing;
}

if (isCalled(import.meta.url)) {
  const path = inRoot('package-lock.json');
  const lock = JSON.parse(readFileSync(path, 'utf8'));
  const missing = missingOptional(lock.packages);
  const sorted = Object.entries({ ...lock.packages, ...missing }).sort(([a], [b]) => a.localeCompare(b, 'en'));
  writeFileSync(path, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);
  console.error(`complete-lock: ${Object.keys(missing).length} packages added`);
}
