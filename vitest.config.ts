import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SpreadFiles } from './scripts/lib/spread-files.mjs';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as { version: string };
/** A fresh object for each project: vitest takes the entries out of the one it is given. */
const define = () => ({ __VERSION__: JSON.stringify(version), __FAILPOINTS__: 'true' });

/** These touch nothing but values, so they share threads and modules. */
const sharing = {
  pool: 'threads',
  isolate: false,
  maxWorkers: availableParallelism(),
  testTimeout: 60_000,
} as const;

/** These start processes of their own and mostly wait for them: three at a time keep even a small machine busy. */
const waiting = { pool: 'forks', maxWorkers: Math.max(3, Math.floor(availableParallelism() / 2)) } as const;

/** The fast ones first; tests that touch the world get processes of their own. All that wait together, so that no core waits for the last of one kind. */
export default defineConfig({
  test: {
    sequence: { sequencer: SpreadFiles },
    projects: [
      {
        define: define(),
        test: {
          name: 'pure',
          include: ['src/**/*.test.ts'],
          ...sharing,
          sequence: { groupOrder: 0 },
        },
      },
      {
        define: define(),
        test: {
          name: 'model',
          include: ['test/{sim,history}/**/*.test.ts', 'test/landing/model/**/*.test.ts'],
          ...sharing,
          sequence: { groupOrder: 2 },
        },
      },
      {
        define: define(),
        test: {
          name: 'tidy',
          include: ['test/tidy/**/*.test.ts'],
          ...waiting,
          testTimeout: 120_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        define: define(),
        test: {
          name: 'world',
          include: ['test/world/**/*.test.ts', 'test/landing/git/**/*.test.ts'],
          ...waiting,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 3 },
        },
      },
      {
        define: define(),
        test: {
          name: 'e2e',
          include: ['test/{e2e,cases,scripted}/**/*.test.ts', 'test/chaos/*.test.ts'],
          ...waiting,
          // What they test runs in other processes, and their harness keeps nothing: to load it once is half a second less for each file.
          isolate: false,
          testTimeout: 180_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 3 },
        },
      },
      {
        define: define(),
        test: {
          name: 'clients',
          include: ['test/clients/**/*.test.ts'],
          ...waiting,
          testTimeout: 180_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
