import type { Plugin } from 'vitest/config';

export const tableDrawingInTests: Plugin;
