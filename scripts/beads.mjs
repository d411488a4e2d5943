#!/usr/bin/env node
// Builds the `bd` programs the tests drive for real, into a cache outside the repository.
import { buildBeads } from './lib/beads.mjs';

for (const line of await buildBeads(true)) console.log(line);
