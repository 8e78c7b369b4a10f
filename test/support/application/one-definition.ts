/** A module that exports one definition. */
export { warehouse } from './warehouse.js';
