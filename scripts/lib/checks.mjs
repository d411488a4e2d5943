import { run, tool } from './run.mjs';

/** What is checked without running the code. Each counts as one test. */
const CHECKS = [
  { name: 'types', argv: [tool('tsc'), '-p', 'tsconfig.json'] },
  { name: 'types of core (pure)', argv: [tool('tsc'), '-p', 'src/core/tsconfig.json'] },
  { name: 'types of text (pure)', argv: [tool('tsc'), '-p', 'src/text/tsconfig.json'] },
  { name: 'lint', argv: [tool('oxlint'), '-c', 'oxlint.config.mjs', '--type-aware', '--deny-warnings'] },
  { name: 'unused', argv: [tool('knip'), '--no-config-hints', '--no-progress'] },
  { name: 'format', argv: [tool('oxfmt'), '--check', '.'] },
];

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

/** Runs the checks, tells each, and returns how many passed and failed. */
export async function runChecks() {
  let failed = 0;
  for (const { name, argv } of CHECKS) {
    const { code, output, durationMs } = await run(argv);
    if (code !== 0) {
      failed += 1;
      console.log(output.trimEnd());
    }
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'} check: ${name} (${seconds(durationMs)})`);
  }
  return { passed: CHECKS.length - failed, failed, skipped: 0 };
}
