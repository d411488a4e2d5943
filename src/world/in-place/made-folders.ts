import { detectEcosystems } from '../feature/detect-ecosystems.ts';

/** Where the tools of the ecosystems that can be detected install and build into. */
const MADE = ['node_modules', '.venv', 'venv', 'target', 'build', 'dist', '.gradle', 'vendor', '__pycache__'];

/** Folders, as in .gitignore, whose content can be made again. */
export const madeFolders = (root: string): readonly string[] => (detectEcosystems(root).length === 0 ? [] : MADE);
