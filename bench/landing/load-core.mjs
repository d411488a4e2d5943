import { join } from 'node:path';
import { loadSources } from '../lib/load-sources.mjs';

/** The product's own deciding functions. */
export const loadCore = () => loadSources(join(import.meta.dirname, 'core-entry.mjs'));
