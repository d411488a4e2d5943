import type { Knobs } from './land-host.ts';
import { landHost } from './land-host.ts';

const [, , dir = '', knobs = '{}'] = process.argv;
await landHost(dir, JSON.parse(knobs) as Knobs);
