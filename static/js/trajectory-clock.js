// Without it: times are UTC. [data-clock="…"] says the time of day in the reader's own zone; data-short without the
// thousandths, data-day with the day.
const pad = (number, width = 2) => String(number).padStart(width, "0");

export function showClocks(root) {
  for (const element of root.querySelectorAll("[data-clock]")) {
    const at = new Date(element.dataset.clock);
    if (!Number.isNaN(at.getTime())) element.textContent = words(at, element.dataset);
  }
}

function words(at, { short, day }) {
  const time = `${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`;
  if (short !== undefined) return time;
  if (day === undefined) return `${time}.${pad(at.getMilliseconds(), 3)}`;
  return `${at.toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" })}, ${time}`;
}
