import axios from 'axios';

/** axios exports its version, and its types do not know. */
export const AXIOS_VERSION = Reflect.get(axios, 'VERSION');
