#!/usr/bin/env node
// Installs the agent clients the tests run for real, into a cache outside the repository.
import { installClients } from './lib/clients.mjs';

for (const line of await installClients()) console.log(line);
