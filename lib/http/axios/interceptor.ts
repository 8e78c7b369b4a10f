import axios, {
  type AxiosAdapter,
  type AxiosInstance,
  type AxiosInterceptorManager,
  getAdapter,
} from 'axios';
import { assertSameAccount, IDENTITY } from '../../token/token-identity.js';
import type { Config } from '../../wire/outgoing.js';
import type { Engine } from '../engine.js';

/** A handler as axios keeps it. */
export interface Handler {
  readonly fulfilled: ((value: unknown) => unknown) | null | undefined;
  readonly rejected: ((error: unknown) => unknown) | null | undefined;
  readonly synchronous: boolean;
  readonly runWhen: ((config: Config) => boolean) | null;
}

/** axios declares neither the list nor the method by which it visits the list. */
export interface Manager {
  handlers?: (Handler | null)[];
  forEach(visit: (handler: Handler) => void): void;
  clear(): void;
  use(...handler: unknown[]): number;
}

/** In tests: whether an adapter is a mock. In place of any other adapter, which would open connections, the engine sends. */
export type IsMock = (adapter: AxiosAdapter, config: Config) => boolean;

export function managerOf<Given>(manager: AxiosInterceptorManager<Given>): Manager {
  return manager as unknown as Manager;
}

/**
 * The last interceptor of each call: it hands the call to the engine, which attaches the token. The engine is the default adapter of
 * the instance, so most calls need nothing from it. It puts the engine around an adapter that the caller has chosen.
 *
 * @internal
 */
export class TokenInterceptor {
  /** The adapters with the engine around them. */
  readonly #made = new WeakSet<AxiosAdapter>();

  constructor(
    private readonly engine: Engine,
    /** The engine as an adapter. */
    readonly adapter: AxiosAdapter,
    private readonly isMock?: IsMock,
  ) {}

  /**
   * Adds the interceptor to an instance as the last one of each call, whatever the application adds, removes or clears. An instance
   * that `create()` makes of the instance has the interceptor, too.
   */
  register(instance: AxiosInstance): AxiosInstance {
    const manager = managerOf(instance.interceptors.request);
    const visitAll = manager.forEach.bind(manager);
    const clear = manager.clear.bind(manager);
    const use = (): void => void manager.use(this.fulfilled, null, { synchronous: true });
    use();
    manager.forEach = (visit) => {
      const { first, last, followed } = this.#handlers();
      visit(first);
      visitAll((handler) => {
        if (handler.fulfilled !== this.fulfilled) visit(followed(handler));
      });
      visit(last);
    };
    manager.clear = () => {
      clear();
      use();
    };
    const create = instance.create.bind(instance);
    Reflect.set(instance, 'create', (defaults?: object) => this.register(create(defaults)));
    return instance;
  }

  /** What an application sees in the list of handlers. */
  readonly fulfilled = (value: unknown): unknown => this.authorize(value as Config);

  /** Puts the engine around the adapter of a config. */
  authorize(config: Config): Config {
    this.chooseAdapter(config);
    if (!hasDefaultTransform(config)) this.#followTransforms(config);
    return config;
  }

  chooseAdapter(config: Config): AxiosAdapter {
    const { adapter } = config;
    if (!adapter) return (config.adapter = this.adapter);
    return this.#isOurs(adapter) ? adapter : (config.adapter = this.#around(adapter));
  }

  /**
   * axios runs the handler that was registered last first, or last: only the config of the call says which. It begins with the account
   * of its call. If an interceptor has lost the account, the request would get the token of the pair. If a synchronous handler throws
   * and handles its error, axios leaves out all handlers after it, and sends the config that the last handler has returned.
   */
  #handlers(): { first: Handler; last: Handler; followed: (handler: Handler) => Handler } {
    let account: unknown;
    let latest: unknown;
    let isSynchronous = true;
    const fulfilled = (value: unknown): unknown => {
      assertSameAccount(account, value as Config);
      return this.authorize(value as Config);
    };
    const followed = (handler: Handler): Handler => {
      const { fulfilled: run, rejected: handle, runWhen, synchronous } = handler;
      return {
        synchronous,
        runWhen(config) {
          // axios leaves a handler out only if the answer is `false` itself.
          const answer: unknown = typeof runWhen === 'function' ? runWhen(config) : undefined;
          const isLeftOut = answer === false;
          if (!isLeftOut) isSynchronous &&= synchronous;
          return !isLeftOut;
        },
        fulfilled: run && ((value) => (latest = run(value))),
        rejected:
          handle &&
          function handleAndAuthorize(this: unknown, error) {
            const result: unknown = handle.call(this, error);
            if (isSynchronous) fulfilled(latest);
            return result;
          },
      };
    };
    const at = (isReversed: boolean): Handler => ({
      fulfilled,
      rejected: null,
      synchronous: true,
      runWhen: (config) => {
        latest = config;
        account = Reflect.get(config, IDENTITY);
        return runsInReverse(config) === isReversed;
      },
    });
    return { first: at(true), last: at(false), followed };
  }

  #isOurs(choice: Config['adapter']): choice is AxiosAdapter {
    return choice === this.adapter || (typeof choice === 'function' && this.#made.has(choice));
  }

  #around(choice: NonNullable<Config['adapter']>): AxiosAdapter {
    const made: AxiosAdapter = (config) => {
      config.adapter = choice;
      const adapter = getAdapter(choice, config);
      const isChosen = adapter !== this.adapter && (this.isMock?.(adapter, config) ?? true);
      return this.engine.send(config, isChosen ? adapter : undefined);
    };
    this.#made.add(made);
    return made;
  }

  /** Transforms run after all interceptors, with the config as `this`. So a transform may set another adapter. */
  #followTransforms(config: Config): void {
    const { transformRequest } = config;
    const transforms = [transformRequest ?? []].flat();
    const last = transforms.pop();
    if (transformRequest === undefined || last === undefined) return;
    const chooseAdapter = (changed: Config): AxiosAdapter => this.chooseAdapter(changed);
    transforms.push(function andAuthorize(this: Config, data, headers) {
      // Results show the transforms of the caller.
      this.transformRequest = transformRequest;
      const body: unknown = last.call(this, data, headers);
      chooseAdapter(this);
      return body;
    });
    config.transformRequest = Array.isArray(transformRequest) ? transforms : (transforms[0] ?? []);
  }
}

const [defaultTransform] = [axios.defaults.transformRequest].flat();

export function hasDefaultTransform({ transformRequest }: Config): boolean {
  return isOnly(transformRequest, defaultTransform);
}

export function isOnly(transforms: unknown, transform: unknown): boolean {
  return Array.isArray(transforms) && transforms.length === 1 && transforms[0] === transform;
}

/** As axios decides: its default only counts if there is no `transitional`. */
export function runsInReverse({ transitional }: Config): boolean {
  return transitional ? Boolean(transitional.legacyInterceptorReqResOrdering) : true;
}
