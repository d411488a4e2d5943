import { describe } from 'vitest';
import { declareGitWorkloads } from './declare-git-workloads.ts';

describe('landing on real git', () => declareGitWorkloads(9, 22));
