import axios from 'axios';

/** The version of the axios that this module has loaded. Its types do not declare it. */
export function axiosVersion(): string {
  return Reflect.get(axios, 'VERSION');
}
