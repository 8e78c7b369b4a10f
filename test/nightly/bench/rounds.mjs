/**
 * Measures many clients in turns, so that other load of the machine affects all of them. A slice of each client takes about the
 * same time, not the same number of requests: a slice of a fast client would otherwise be too short to be measured.
 */
import { median, sliceOfCallers } from './paired-slices.mjs';

const WARM_UPS = 6;

/** A slice begins with this part of its requests, which is not measured. */
const LEAD_IN = 4;

/**
 * @param clients by name: `call` sends one request and returns the payment, `against` names the client to compare with, and
 *   `limit` the client that shows what is possible, if any
 * @returns for each client its median rate and CPU time, and the medians of their ratios within a round
 */
export async function measureInTurns(clients, { callers, rounds, sliceMs }) {
  const names = Object.keys(clients);
  const requests = Object.fromEntries(names.map((name) => [name, 2 * callers]));
  const slice = async (name) => {
    // Not measured: a client does not pay for the garbage of the client before it, and its connections are awake. Garbage is not
    // collected on purpose. V8 would drop what it has learned about objects of which none exists at that moment.
    await sliceOfCallers(callers, Math.ceil(requests[name] / LEAD_IN), clients[name].call);
    return sliceOfCallers(callers, requests[name], clients[name].call);
  };
  const best = {};
  // The code is compiled in these slices, so the rate rises.
  for (let turn = 0; turn < WARM_UPS; turn += 1) {
    for (const name of names) {
      const { rate } = await slice(name);
      best[name] = Math.max(best[name] ?? 0, rate);
      requests[name] = Math.max(2 * callers, Math.round((best[name] * sliceMs) / 1_000));
    }
  }
  const measured = [];
  for (let round = 0; round < rounds; round += 1) {
    const slices = {};
    // Every second round runs in reverse, so that no client always runs after the same one.
    for (const name of round % 2 === 0 ? names : names.toReversed()) slices[name] = await slice(name);
    measured.push(slices);
  }
  return Object.entries(clients).map(([client, { against, limit }]) => {
    const of = (value) => median(measured.map((slices) => value(slices[client], slices)));
    const ratiosTo = (other) => ({
      ratio: of((own, slices) => own.rate / slices[other].rate),
      cpuRatio: of((own, slices) => own.cpuUs / slices[other].cpuUs),
    });
    return {
      client,
      against,
      limit,
      rate: of(({ rate }) => rate),
      cpuUs: of(({ cpuUs }) => cpuUs),
      ...ratiosTo(against),
      ...(limit in clients && { ofLimit: ratiosTo(limit) }),
    };
  });
}

/** The medians of several runs, figure by figure. The runs have the same rows. */
export function medianOfRuns(runs) {
  return runs[0].map((row, index) => ({
    ...row,
    at: row.at.map((one, place) => {
      const of = (figure) => median(runs.map((rows) => figure(rows[index].at[place])));
      const ratios = (from) => ({
        ratio: rounded(of((at) => from(at).ratio)),
        cpuRatio: rounded(of((at) => from(at).cpuRatio)),
      });
      return {
        callers: one.callers,
        rate: Math.round(of(({ rate }) => rate)),
        cpuUs: Math.round(of(({ cpuUs }) => cpuUs)),
        ...ratios((at) => at),
        ...(one.ofLimit && { ofLimit: ratios(({ ofLimit }) => ofLimit) }),
      };
    }),
  }));
}

function rounded(value) {
  return Math.round(value * 1_000) / 1_000;
}
