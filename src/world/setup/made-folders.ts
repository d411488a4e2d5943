import { keptInLoops } from '../../text/feature/kept-names.ts';
import { detectEcosystems } from './detect-ecosystems.ts';

/** Folders, as in .gitignore, whose content can be made again: as `worktree.keep` names them, or by what the project is made with. */
export const madeFolders = (root: string, keep: readonly string[] | null): readonly string[] =>
  keptInLoops(detectEcosystems(root), keep);
