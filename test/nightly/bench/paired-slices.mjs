/**
 * Measures two candidates in turns (A B A B …), so that other load of the machine affects both. Use medians over the pairs.
 *
 * @returns {Promise<[first: object, second: object][]>} the results of `slice` for both, pair by pair
 */
export async function pairedSlices(slice, first, second, pairs, warmUps = 3) {
  for (let turn = 0; turn < warmUps; turn += 1) for (const one of [first, second]) await slice(one);
  const measured = [];
  for (let pair = 0; pair < pairs; pair += 1) measured.push([await slice(first), await slice(second)]);
  return measured;
}

export function median(values) {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}

/** One slice: several callers send a number of requests. `send` sends one request and returns the received payment. */
export function sliceOfCallers(callers, requests, send) {
  let left = requests;
  const caller = async () => {
    while (left-- > 0) {
      const { id } = await send();
      if (id !== 'pay_1') throw new Error('The response is not the expected one.');
    }
  };
  return timed(requests, () => Promise.all(Array.from({ length: callers }, caller)));
}

/** Calls per second of one slice of work, and the CPU time of each call. */
export async function timed(calls, work) {
  const [cpu, from] = [process.cpuUsage(), performance.now()];
  await work();
  const wallMs = performance.now() - from;
  const { user, system } = process.cpuUsage(cpu);
  return { rate: (calls * 1_000) / wallMs, cpuUs: (user + system) / calls };
}

/** A row of a table. */
export function row(cells) {
  return `| ${cells.join(' | ')} |`;
}
