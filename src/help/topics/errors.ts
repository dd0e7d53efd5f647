import { ERROR_CODES } from '../../errors.ts';
import { createProse, createSection, type HelpPage } from '../page.ts';

export const buildErrorsTopic: HelpPage = {
  lead: 'The codes of errors.',
  sections: [
    createProse(
      'With a JSON format, an error has one of these codes, and so has the error of a result. A code keeps its meaning; new ones may be added, so treat an unknown code by its exit code (ttctl help exit-codes).',
    ),
    createSection('Codes', { entries: Object.entries(ERROR_CODES) }),
  ],
};
