import { describe } from 'vitest';
import { declareGitWorkloads } from './declare-git-workloads.ts';

/** `LANDING_WORKLOADS=60` for a long look. */
const COUNT = Number(process.env['LANDING_WORKLOADS'] ?? 10);

describe('landing on real git', () => declareGitWorkloads(21, COUNT));
