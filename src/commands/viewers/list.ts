import { operations } from '../../api/operations.ts';
import { viewerColumns } from '../../resources/viewer/columns.ts';
import { viewer } from '../../resources/viewer.ts';
import { type Door, runOperation } from '../../run.ts';
import { listOptions, operationCommand } from '../command.ts';
import { flag } from '../options.ts';

const operation = operations.viewers.list;

export const viewersList = (door: Door) =>
  listOptions(
    operationCommand('list', operation, [
      'ttctl viewers list',
      'ttctl viewers list --email eve@client.example',
    ]),
  )
    .addOption(flag(operation, 'email'))
    .action(
      runOperation(door, operation, async ({ api, output, window }, values) => {
        await output.list(api.viewers.list(values).pages(window), {
          noun: viewer.words[1],
          columns: viewerColumns,
        });
      }),
    );
