import { defineConfig } from 'vitest/config';

/** Three speeds: pure tests share threads, world and e2e tests get processes of their own. */
export default defineConfig({
  test: {
    projects: [
      { test: { name: 'pure', include: ['src/**/*.test.ts', 'test/sim/**/*.test.ts'], pool: 'threads', isolate: false } },
      { test: { name: 'tidy', include: ['test/tidy/**/*.test.ts'], pool: 'forks', testTimeout: 120_000 } },
      { test: { name: 'world', include: ['test/world/**/*.test.ts'], pool: 'forks', testTimeout: 60_000, hookTimeout: 60_000 } },
      { test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], pool: 'forks', testTimeout: 180_000, hookTimeout: 60_000 } },
    ],
  },
});
