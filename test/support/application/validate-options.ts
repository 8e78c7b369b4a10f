import { loadValidator } from '../../../lib/config/validator.js';

export { validateOptions } from '../../../lib/config/validate-options.js';

/** As whoever boots the module does before. */
await loadValidator();
