import { startPart } from './start-part.ts';

/** The file that a renewal is started with. */

startPart('renew');
