import { expect, it } from 'vitest';
import { OPEN, QUIT, readKeys } from '../../../../lib/cli/simulate/keyboard.js';
import { PressedKeys } from '../../../support/application/pressed-keys.js';

it('B25: each key is reported without Enter, also of several in one read, and no arrow key', () => {
  const terminal = new PressedKeys();
  const keys: string[] = [];
  readKeys(terminal, (key) => keys.push(key));
  for (const text of ['r', '5ü', '\u001b[A', '\u001b', '', '\u0003']) terminal.press(text);
  expect(keys).toEqual(['r', '5', 'ü', '\u0003']);
});

it('B25: the terminal is raw while keys are read, and as before afterwards', () => {
  const terminal = new PressedKeys();
  const keys: string[] = [];
  const stop = readKeys(terminal, (key) => keys.push(key));
  expect(terminal.done.splice(0)).toEqual(['raw true', 'resume']);
  stop();
  expect(terminal.done).toEqual(['raw false', 'pause']);
  expect(terminal.listenerCount('data')).toBe(0);
});

it('B25: an input without a raw mode has keys, too', () => {
  const terminal = new PressedKeys();
  delete terminal.setRawMode;
  const keys: string[] = [];
  const stop = readKeys(terminal, (key) => keys.push(key));
  terminal.press('q');
  stop();
  expect(keys).toEqual(['q']);
  expect(terminal.done).toEqual(['resume', 'pause']);
});

it('B25: q, Ctrl-C and Ctrl-D end the command, and o opens the page', () => {
  expect([...QUIT]).toEqual(['q', '\u0003', '\u0004']);
  expect(OPEN).toBe('o');
});
