import { describe } from 'vitest';
import { declareSeeds } from './declare-seeds.ts';

// A file of its own only so that a second thread can share the work.
describe('the engine in more hostile worlds', () => declareSeeds(1_000_001, 200));
