import { describe } from 'vitest';
import { declareWorkloads } from './declare-workloads.ts';

// A file of its own only so that a second thread can share the work.
describe('landing in the model', () => declareWorkloads(1_000_001));
