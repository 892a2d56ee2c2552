// Without it: each rollout is a link to its trajectory, and the events of all are listed. A click shows one rollout's events.
const rollouts = () => document.getElementById("rollouts");
const events = document.getElementById("events");
let chosen = "";

document.addEventListener("click", (event) => {
  const row = event.target.closest("#rollouts a[data-rollout]");
  if (!row || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  chosen = chosen === row.dataset.rollout ? "" : row.dataset.rollout;
  show();
  document.dispatchEvent(new CustomEvent("rollout", { detail: chosen }));
});

/** The rollout whose events are shown; nothing while those of all are. */
export const chosenRollout = () => chosen;

export const isChild = (rollout) => Boolean(rollouts()?.querySelector(`[data-rollout="${CSS.escape(rollout)}"][data-child]`));

function show() {
  for (const row of events?.children ?? []) row.hidden = Boolean(chosen) && !row.id.includes(`-${chosen}-`);
  for (const row of rollouts()?.querySelectorAll("[data-rollout]") ?? []) row.toggleAttribute("data-chosen", row.dataset.rollout === chosen);
}

if (events) new MutationObserver(() => chosen && show()).observe(events, { childList: true });
if (rollouts()) new MutationObserver(() => chosen && show()).observe(rollouts().parentElement, { childList: true });
