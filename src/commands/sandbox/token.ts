import { defineGroup } from '../../cli/command.ts';
import { tokenCreate } from './token-create.ts';
import { tokenList } from './token-list.ts';
import { tokenRevoke } from './token-revoke.ts';

/** `sandbox token …` */
export const sandboxToken = defineGroup('sandbox token', 'manage tokens of the sandbox', [
  tokenCreate,
  tokenList,
  tokenRevoke,
]);
