import { buildGoPrograms, goBin, goCache } from './go-program.mjs';

/** The forge some tests drive for real. It reads its templates and texts from folders beside it. */
const gitea = () => ({
  title: 'Gitea 1.26.2',
  program: 'gitea',
  module: 'code.gitea.io/gitea',
  version: '1.26.2',
  source: '.',
  cgo: '1',
  flags: ['-tags', 'sqlite sqlite_unlock_notify'],
  beside: ['templates', 'options', 'public'],
  cache: process.env.PARALPH_GITEA_CACHE || goCache('gitea'),
  script: 'scripts/gitea.mjs',
  without: 'tests that need it are skipped',
});

/** The folder with the program and what it reads, or null when it is not built. */
export const giteaBin = () => goBin(gitea());

/** `isWanted`: a machine of a person's own is asked for nothing that takes minutes. */
export const buildGitea = (isWanted = process.env.CI === 'true') => buildGoPrograms([gitea()], isWanted);
