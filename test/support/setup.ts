import { afterAll } from 'vitest';
import { endFile } from './file-end.ts';

// Vitest runs this anew for every test file, also where files share a worker.
afterAll(endFile);
