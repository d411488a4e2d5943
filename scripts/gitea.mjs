#!/usr/bin/env node
// Builds the forge the tests drive for real, into a cache outside the repository.
import { buildGitea } from './lib/gitea.mjs';

for (const line of await buildGitea(true)) console.log(line);
