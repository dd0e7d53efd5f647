import { afterAll } from 'vitest';
import { endFile } from './folder.ts';

// Vitest runs this anew for every test file, also where files share a worker.
afterAll(endFile);
