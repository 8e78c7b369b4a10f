/** Two contenders in turns (A B A B …), so that whatever else the machine does hits both; what counts are medians over pairs. */

/** @returns {Promise<[first: object, second: object][]>} what `slice` tells of each, pair by pair */
export async function pairedSlices(slice, first, second, pairs, warmUps = 3) {
  for (let turn = 0; turn < warmUps; turn += 1) for (const one of [first, second]) await slice(one);
  const measured = [];
  for (let pair = 0; pair < pairs; pair += 1) measured.push([await slice(first), await slice(second)]);
  return measured;
}

export function median(values) {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}

/** Wall time and CPU time of one slice of work, for each of its calls. */
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
