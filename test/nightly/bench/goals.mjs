/**
 * What B14, B16 and B21 promise: the least part of the requests per second of another client, for each number of callers, and the
 * greatest part of its CPU time. `isOfLimit` compares with the client that shows what is possible.
 */
const ofLimit = (client, least) => ({ protocol: 'h1', client, isOfLimit: true, least });
const ofPlain = (client, least) => ({ protocol: 'h1', client, isOfLimit: false, least });

const GOALS = [
  { ...ofLimit('axiosRef on undici', 0.85), mostCpu: 1.15 },
  ofLimit('axiosRef on undici, interceptors', 0.85),
  ofLimit('axiosRef by default', 0.85),
  ofLimit('axiosRef by default, interceptors', 0.85),
  ofLimit('HttpService on undici', 0.8),
  ofLimit('HttpService by default', 0.8),
  ofLimit('fetch on undici', 0.8),
  { ...ofLimit('axiosRef on undici', 1), protocol: 'h2' },
  ofPlain('axiosRef by default', 0.97),
  ofPlain('HttpService by default', 0.97),
  ofPlain('fetch by default', 1),
  ofPlain('fetch on undici', 1.3),
];

const CALLERS = [1, 32, 256];
const CPU_CALLERS = 32;

/** The goals that a run did not reach, in words. Goals of rows that were not measured count too. */
export function missedGoals(rows) {
  return GOALS.flatMap(({ protocol, client, isOfLimit, least, mostCpu = Infinity }) => {
    const found = rows.find((row) => row.protocol === protocol && row.client === client);
    if (found === undefined) return [`${client}: not measured`];
    const ratiosAt = (callers) => {
      const at = found.at.find((one) => one.callers === callers);
      return isOfLimit ? at?.ofLimit : at;
    };
    const missed = CALLERS.filter((callers) => !(ratiosAt(callers)?.ratio >= least));
    const isCpuMissed = mostCpu !== Infinity && !(ratiosAt(CPU_CALLERS)?.cpuRatio <= mostCpu);
    return [
      ...missed.map((callers) => `${protocol}, ${client}, ${callers} callers: requests per second`),
      ...(isCpuMissed ? [`${protocol}, ${client}: CPU`] : []),
    ];
  });
}
