import { defineGroup } from '../../cli/command.ts';
import { appCreate } from './app-create.ts';
import { appList } from './app-list.ts';

/** `sandbox app …` */
export const sandboxApp = defineGroup('sandbox app', 'manage OAuth2 applications of the sandbox', [
  appCreate,
  appList,
]);
