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
const cell = (ratio, isReached, goal) => `${ratio?.toFixed(2)} ${goal} ${isReached ? '✔' : '✘'}`;

export const GOAL_COLUMNS = ['', 'compared with', ...CALLERS, 'CPU, 32'];

/** The cells of a row for each goal. What was not measured is missed. */
export function goalRows(rows) {
  return GOALS.map(({ client, isOfLimit, least, mostCpu }) => {
    const { at = [], against, limit } = rows.find((row) => row.client === client) ?? {};
    const ratiosAt = (callers) => {
      const figures = at.find((one) => one.callers === callers);
      return isOfLimit ? figures?.ofLimit : figures;
    };
    const rates = CALLERS.map((callers) => ratiosAt(callers)?.ratio);
    const cpu = ratiosAt(32)?.cpuRatio;
    return [
      client,
      isOfLimit ? limit : against,
      ...rates.map((rate) => cell(rate, rate >= least, `of ${least}`)),
      mostCpu === undefined ? '' : cell(cpu, cpu <= mostCpu, `at most ${mostCpu}`),
    ];
  });
}

export function isMissed(cells) {
  return cells.some((text) => text?.includes('✘'));
}
