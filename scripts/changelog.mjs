#!/usr/bin/env node
// Prints the changelog's section of one version: `node scripts/changelog.mjs 0.1.0`. Exit 1 where there is none.
import { readFileSync } from 'node:fs';
import { inRoot } from './lib/root.mjs';

const version = process.argv[2] ?? '';
const sections = readFileSync(inRoot('CHANGELOG.md'), 'utf8').split(/^(?=## )/m);
const section = sections.find((text) => text.startsWith(`## [${version}]`));
if (section == null) {
  console.error(`CHANGELOG.md has no section "## [${version}]"`);
  process.exitCode = 1;
} else {
  console.log(section.slice(section.indexOf('\n') + 1).trim());
}
