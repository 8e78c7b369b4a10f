/**
 * What B14, B16 and B21 promise: the least part of the requests per second of another client, for each number of callers, and the
 * greatest part of its CPU time. `isOfLimit` compares with the client that shows what is possible.
 */
const GOALS = [
  { client: 'axiosRef on undici', isOfLimit: true, least: 0.85, mostCpu: 1.2 },
  { client: 'axiosRef on undici, interceptors', isOfLimit: true, least: 0.8 },
  { client: 'axiosRef by default', isOfLimit: true, least: 0.82 },
  { client: 'axiosRef by default, interceptors', isOfLimit: true, least: 0.8 },
  { client: 'HttpService on undici', isOfLimit: true, least: 0.8 },
  { client: 'HttpService by default', isOfLimit: true, least: 0.8 },
  { client: 'fetch on undici', isOfLimit: true, least: 0.8 },
  { client: 'axiosRef by default', isOfLimit: false, least: 0.97 },
  { client: 'HttpService by default', isOfLimit: false, least: 0.97 },
];

const CALLERS = [1, 32, 256];
const CPU_CALLERS = 32;

/** The goals that a run did not reach, in words. Goals of rows that were not measured count too. */
export function missedGoals(rows) {
  return GOALS.flatMap(({ client, isOfLimit, least, mostCpu = Infinity }) => {
    const found = rows.find((row) => row.client === client);
    if (found === undefined) return [`${client}: not measured`];
    const ratiosAt = (callers) => {
      const at = found.at.find((one) => one.callers === callers);
      return isOfLimit ? at?.ofLimit : at;
    };
    const missed = CALLERS.filter((callers) => !(ratiosAt(callers)?.ratio >= least));
    const isCpuMissed = mostCpu !== Infinity && !(ratiosAt(CPU_CALLERS)?.cpuRatio <= mostCpu);
    return [
      ...missed.map((callers) => `${client}, ${callers} callers: requests per second`),
      ...(isCpuMissed ? [`${client}: CPU`] : []),
    ];
  });
}
