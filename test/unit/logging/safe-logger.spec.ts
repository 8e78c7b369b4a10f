import { Logger } from '@nestjs/common';
import { describe, expect, it, vi } from 'vitest';
import { SafeLogger } from '../../../lib/logging/safe-logger.js';

describe('the log of the library', () => {
  it.each(['error', 'warn', 'log'] as const)('goes to the logger of Nest, at the level %s', (level) => {
    const logged = vi.spyOn(Logger.prototype, level).mockImplementation(() => undefined);
    new SafeLogger()[level]('a line');
    expect(logged.mock.calls).toEqual([['a line']]);
    expect(logged.mock.contexts[0]).toMatchObject({ context: 'ProviderAuth' });
  });

  it.each(['error', 'warn', 'log'] as const)(
    'B9: changes nothing for a caller when it throws: %s',
    (level) => {
      vi.spyOn(Logger.prototype, level).mockImplementation(() => {
        throw new Error('no disk');
      });
      expect(() => new SafeLogger()[level]('a line')).not.toThrow();
    },
  );
});
