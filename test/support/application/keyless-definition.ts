/** A module that exports one definition whose clients have no secret. */
export { cluster } from './warehouse.js';
