import type { Group, Noun } from '../../cli/command.ts';
import { closeCheck } from './check.ts';

export const close = (noun: Noun): Group => ({ ...noun, commands: [closeCheck] });
