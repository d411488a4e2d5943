import { AppError, EXIT } from '../../../core/errors.ts';
import type { State } from '../../../core/model.ts';
import { EMPTY_STATE } from '../../../core/model.ts';
import { problemLine } from '../../../text/config/layer.ts';
import { checkConfig } from '../../../world/config-files.ts';
import type { Finding } from '../../../world/diagnose.ts';
import { diagnose } from '../../../world/diagnose.ts';
import { findRepository } from '../../../world/git/repository.ts';
import type { Repository } from '../../../world/git/repository.ts';
import type { Handler } from '../handler.ts';
import { readState } from '../project.ts';

/** Everything is looked at, also when the first thing is broken: a sick house is what a doctor is for. */
export const handle: Handler = async (call) => {
  const repo = findRepository(call.cwd);
  const config = await checkConfig({ root: repo.root, env: call.env, flags: call.settings });
  const configured = config.problems.map((problem): Finding => ({
    check: 'config',
    level: 'fail',
    message: problemLine(problem),
    remedy: 'ralph config check',
  }));
  const { state, findings: damage } = await stateOrDamage(repo);
  const findings = [
    ...configured,
    ...damage,
    ...(await diagnose({ repo, settings: config.settings, state, env: call.env })),
  ];
  const failed = findings.some((finding) => finding.level === 'fail');
  if (call.flags['json'] === true) call.out.json({ version: 1, healthy: !failed, findings });
  else for (const finding of findings) call.out.data(line(call.out.style, finding));
  return failed ? EXIT.environment : EXIT.ok;
};

async function stateOrDamage(
  repo: Repository,
): Promise<{ readonly state: State; readonly findings: readonly Finding[] }> {
  try {
    return {
      state: await readState(repo),
      findings: [{ check: 'log', level: 'ok', message: 'the log is whole', remedy: null }],
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return {
      state: EMPTY_STATE,
      findings: [{ check: 'log', level: 'fail', message: error.message, remedy: error.remedy }],
    };
  }
}

function line(
  style: { green(text: string): string; yellow(text: string): string; red(text: string): string },
  finding: Finding,
): string {
  const level =
    finding.level === 'ok' ? style.green('ok  ') : finding.level === 'warn' ? style.yellow('warn') : style.red('FAIL');
  return `${level}  ${finding.check}: ${finding.message}${finding.remedy === null ? '' : `\n        fix: ${finding.remedy}`}`;
}
