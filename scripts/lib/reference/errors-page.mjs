import { code, page, table } from './markdown.mjs';

const EXIT_MEANS = {
  ok: 'All asked for is done: every task landed, or is ready where landing is manual.',
  parked: 'Finished, but some task is parked, or a check was red.',
  usage: 'The command line is wrong.',
  badInput: 'A configuration or task file is wrong.',
  environment: 'The environment is not ready (git, agent, disk, identity). `ralph doctor` says what.',
  busy: 'Another process holds what is needed.',
  needsPerson: 'A decision that only a person can make is pending.',
  limit: 'A limit was reached.',
  bug: 'A bug in paralph.',
  interrupted: 'Stopped by Ctrl-C. The same command continues.',
  terminated: 'Stopped by SIGTERM. The same command continues.',
};

/** docs/reference/errors.md: exit codes and error codes. */
export function errorsPage({ EXIT, CATALOG }) {
  const exits = Object.entries(EXIT).map(([name, exit]) => {
    if (EXIT_MEANS[name] == null)
      throw new Error(`exit code ${name} has no meaning in scripts/lib/reference/errors-page.mjs`);
    return [exit, EXIT_MEANS[name]];
  });
  const codes = Object.entries(CATALOG).map(([name, entry]) => [code(name), entry.exit, entry.means]);
  return page({
    title: 'Exit codes and errors',
    source: 'src/core/model/errors.ts',
    intro:
      'An error is printed on standard error as `error[CODE]: what happened`, then its facts, then `fix:` with a command to paste. ' +
      'With `--json` it is one JSON object on standard error. Codes stay the same from version to version.',
    blocks: [
      '## Exit codes',
      table(['exit', 'means'], exits),
      '## Error codes',
      table(['code', 'exit', 'means'], codes),
    ],
  });
}
