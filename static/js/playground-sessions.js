// Without it: the list is as it was when the page was loaded. Keeps it fresh; its order changes only without a pointer on it.
const EVERY_MS = 15_000;
const SOON_MS = 600;
const CHANGING = new Set(["status", "snapshot"]);
const pane = document.getElementById("sessions");

async function refresh() {
  const list = document.getElementById("session-list");
  const search = pane.querySelector("input[type=search]");
  if (document.hidden || pane.matches(":hover, :focus-within") || !list) return;
  const query = new URLSearchParams({ q: search.value, current: currentId(list) });
  if (list.hasAttribute("data-archived")) query.set("archived", "1");
  try {
    const answer = await fetch(`${pane.querySelector("form[role=search]").getAttribute("action")}/list?${query}`);
    if (!answer.ok || answer.redirected) return;
    const holder = document.createElement("template");
    holder.innerHTML = (await answer.text()).trim();
    const fresh = holder.content.querySelector("#session-list");
    if (!fresh || fresh.isEqualNode(list)) return;
    const { scrollTop } = list;
    list.replaceWith(fresh);
    fresh.scrollTop = scrollTop;
  } catch {
    // The server cannot be reached; the connection note says so.
  }
}

function currentId(list) {
  return list.querySelector("[aria-current]")?.id.replace("in-list-", "") ?? "";
}

let due = 0;

if (pane) {
  setInterval(refresh, EVERY_MS);
  pane.addEventListener("pointerleave", refresh);
  due = setTimeout(refresh, SOON_MS); // what changed while the page was loading sends no frame
  document.querySelector("session-stream")?.addEventListener("frame", ({ detail }) => {
    if (!CHANGING.has(detail.event)) return;
    clearTimeout(due);
    due = setTimeout(refresh, SOON_MS);
  });
}
