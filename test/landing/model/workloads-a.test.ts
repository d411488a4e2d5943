import { describe } from 'vitest';
import { declareWorkloads } from './declare-workloads.ts';

describe('landing in the model', () => declareWorkloads(1));
