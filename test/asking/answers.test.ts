import { Argument, Command, Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { give } from '../../src/asking/answers.ts';
import { createAsked } from '../../src/asking/asked.ts';
import { repeated } from '../../src/commands/options.ts';

const reason = () => new Option('--reason <reason>');
const event = () => new Option('--event <event>').argParser(repeated);

const given = (source: Option | Argument, values: readonly string[], args: readonly string[] = ['x']) => {
  const command = new Command('x');
  if (source instanceof Option) command.addOption(source);
  else command.addArgument(source);
  const asked = createAsked();
  give(command, source, values, asked);
  return { options: command.opts(), positionals: command.processedArgs, line: asked.line(args) };
};

describe('an answer', () => {
  it.each([
    ['late', ['--reason', 'late']],
    // As a word of its own `-h` would be a flag.
    ['-h', ['--reason=-h']],
    ['--', ['--reason=--']],
  ])('%j is what the flag would have got, and words that give it again', (value, words) => {
    const { options, line } = given(reason(), [value]);
    expect(options).toEqual({ reason: value });
    expect(line).toEqual(['x', ...words]);
    const again = new Command('x').addOption(reason());
    again.parseOptions(line?.slice(1) ?? []);
    expect(again.opts()).toEqual(options);
  });

  it('of several values repeats the flag', () => {
    const { options, line } = given(event(), ['a.b', 'c.d']);
    expect(options).toEqual({ event: ['a.b', 'c.d'] });
    expect(line).toEqual(['x', '--event', 'a.b', '--event', 'c.d']);
  });

  it.each([
    ['yes', ['--billable'], true],
    ['no', ['--no-billable'], false],
  ])('%s to a switch is one of its sides', (answer, words, value) => {
    const command = new Command('x')
      .addOption(new Option('--billable'))
      .addOption(new Option('--no-billable'));
    const asked = createAsked();
    give(command, command.options[0] ?? reason(), [answer], asked);
    expect([command.opts(), asked.line([])]).toEqual([{ billable: value }, words]);
  });

  it('to a positional takes its place; what looks like a flag stands behind the end of flags', () => {
    expect(given(new Argument('[id...]'), ['17', '18'])).toMatchObject({
      positionals: [['17', '18']],
      line: ['x', '17', '18'],
    });
    expect(given(new Argument('[id]'), ['-17'])).toMatchObject({
      positionals: ['-17'],
      line: ['x', '--', '-17'],
    });
    expect(given(new Argument('[id]'), ['17'], ['x', '--', 'y']).line).toEqual(['x', '--', 'y', '17']);
  });
});

describe('a run', () => {
  it('that asked for no more than a confirmation has no line', () => {
    const asked = createAsked();
    asked.agreed();
    expect(asked.line(['x'])).toBe(undefined);
    asked.operands(['17']);
    expect(asked.line(['x'])).toEqual(['x', '17', '--yes']);
  });
});
