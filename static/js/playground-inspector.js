// Without it: all categories are shown, and a row is a link to its message. Filters rows; lights the message, and its row.
const events = document.getElementById("events");
const filters = document.getElementById("event-filters");

filters?.addEventListener("change", () => {
  const shown = new FormData(filters).getAll("show");
  for (const box of filters.elements) events.toggleAttribute(`data-without-${box.value}`, !shown.includes(box.value));
});

events?.addEventListener("click", (event) => {
  const row = event.target.closest("a.c-event");
  const item = row && document.getElementById(row.getAttribute("href").slice(1));
  if (!row) return;
  event.preventDefault();
  choose(row);
  if (!item) return;
  document.querySelector('#inspector[data-drawer="open"] [data-drawer-closes]')?.click();
  light(item);
});

document.getElementById("conversation")?.addEventListener("click", (event) => {
  if (event.target.closest("a, button, summary, input, textarea, form") || String(getSelection())) return;
  const item = event.target.closest("#conversation > *");
  const row = item && events.querySelector(`a[href="#${CSS.escape(item.id)}"]`);
  if (!row) return;
  choose(row);
  row.scrollIntoView({ block: "center" });
});

function choose(row) {
  events.querySelector("[aria-current]")?.removeAttribute("aria-current");
  row.setAttribute("aria-current", "true");
}

function light(item) {
  for (const other of document.querySelectorAll("[data-lit]")) other.removeAttribute("data-lit");
  const target = item.matches(".c-message") ? item : item.querySelector(".c-message") ?? item;
  target.dataset.lit = "";
  item.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  setTimeout(() => target.removeAttribute("data-lit"), 1600);
}

// The prompt is read when its tab is opened, and again after a step while it is open.
const tabs = document.querySelector("#inspector tab-set");
const prompt = document.getElementById("prompt");
const address = prompt?.querySelector("[data-loads]")?.href;

async function readPrompt() {
  if (!address || prompt.closest("[hidden]")) return;
  try {
    const answer = await fetch(address, { headers: { "HX-Request": "true" } });
    if (answer.ok) prompt.innerHTML = await answer.text();
  } catch {
    // The server cannot be reached; the connection note says so.
  }
}

tabs?.addEventListener("tab", readPrompt);
document.querySelector("session-stream")?.addEventListener("frame", ({ detail }) => {
  if (detail.event === "event" && detail.data.type === "step.started") readPrompt();
});
