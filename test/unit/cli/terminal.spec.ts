import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { abilitiesOf, ERASE_LINE, Spinner, type Style } from '../../../lib/cli/terminal.js';
import { WrittenText } from '../../support/application/doctor-check.js';

describe('what an output supports', () => {
  it.each([
    [true, {}, true, true],
    [true, { TERM: 'xterm' }, true, true],
    [true, { TERM: 'dumb' }, false, false],
    [true, { NO_COLOR: '1' }, true, false],
    [true, { NO_COLOR: '' }, true, true],
    [false, {}, false, false],
    [undefined, {}, false, false],
  ])('depends on it and on the variables: terminal %s, %j', (isTTY, variables, moves, colours) => {
    const abilities = abilitiesOf(new WrittenText(isTTY), variables);
    expect([abilities.moves, abilities.paint('red', 'x') !== 'x']).toEqual([moves, colours]);
  });
});

describe('a style', () => {
  it.each<[Style, number]>([
    ['red', 31],
    ['green', 32],
    ['yellow', 33],
    ['dim', 2],
    ['bold', 1],
  ])('%s is shown with colours only', (style, code) => {
    const output = new WrittenText(true);
    const [shown, plain] = [{}, { NO_COLOR: '1' }].map((variables) => abilitiesOf(output, variables));
    expect(shown?.paint(style, 'text')).toBe(`\u001b[${code}mtext\u001b[0m`);
    expect(plain?.paint(style, 'text')).toBe('text');
    expect(shown?.paint(style, '')).toBe('');
  });
});

describe('the spinner', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('turns on a terminal until it is stopped, then the line is empty', () => {
    const output = new WrittenText(true);
    const spinner = new Spinner(output, true);
    spinner.start('TLS');
    vi.advanceTimersByTime(800);
    const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏', '⠋'];
    expect(output.text).toBe(frames.map((frame) => `\r\u001b[2K  ${frame} TLS`).join(''));
    output.text = '';
    spinner.stop();
    expect(output.text).toBe(ERASE_LINE);
    vi.advanceTimersByTime(800);
    spinner.stop();
    expect(output.text).toBe(ERASE_LINE);
  });

  it('does not turn where no line can be erased', () => {
    const output = new WrittenText();
    const spinner = new Spinner(output, false);
    spinner.start('TLS');
    vi.advanceTimersByTime(800);
    spinner.stop();
    expect([output.text, vi.getTimerCount()]).toEqual(['', 0]);
  });
});
