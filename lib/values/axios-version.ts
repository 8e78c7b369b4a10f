import axios from 'axios';

/** axios exports its version. Its types do not declare it. */
export const AXIOS_VERSION: unknown = Reflect.get(axios, 'VERSION');
