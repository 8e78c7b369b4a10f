import { expect, it } from 'vitest';
import { partsOf } from '../../../lib/module/parts.js';
import { requiredPartsOf } from '../../../lib/testing/any-provider.js';
import { warehouse } from '../../support/application/warehouse.js';

it('B24: the parts of a provider are those of its definition', () => {
  const parts = requiredPartsOf(warehouse);
  expect(parts).toBe(partsOf(warehouse));
  expect(parts.catalogue.name).toBe('warehouse');
});

it('B24: a copy of what defineProvider() returned is refused', () => {
  expect(() => requiredPartsOf({ ...warehouse })).toThrow(
    new TypeError('`provider` must be what defineProvider() returned. Pass that object itself.'),
  );
});
