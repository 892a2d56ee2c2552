// Without it: the list is as it was when the page was loaded. Keeps it fresh; which sessions there are and their order
// change only while neither pointer nor focus is on it.
const EVERY_MS = 15_000;
const SOON_MS = 600;
const CHANGING = new Set(["status", "snapshot"]);
const TELLING = new Set(["user.input", "agent.output", "state.update", "step.completed"]);
const pane = document.getElementById("sessions");

async function refresh() {
  const list = document.getElementById("session-list");
  const search = pane.querySelector("input[type=search]");
  if (document.hidden || !list) return;
  const query = new URLSearchParams({ q: search.value, current: currentId(list) });
  if (list.hasAttribute("data-archived")) query.set("archived", "1");
  try {
    const answer = await fetch(`${pane.querySelector("form[role=search]").getAttribute("action")}/list?${query}`);
    if (!answer.ok || answer.redirected) return;
    const holder = document.createElement("template");
    holder.innerHTML = (await answer.text()).trim();
    const fresh = holder.content.querySelector("#session-list");
    if (fresh) draw(list, fresh);
  } catch {
    // The server cannot be reached; the connection note says so.
  }
}

function draw(list, fresh) {
  if (pane.matches(":hover, :focus-within")) {
    for (const item of list.querySelectorAll(".c-sessions__item")) {
      const now = fresh.querySelector(`#${CSS.escape(item.id)}`);
      if (now && said(now) !== said(item)) item.replaceChildren(...now.childNodes);
    }
  } else if (!fresh.isEqualNode(list)) {
    const { scrollTop } = list;
    list.replaceWith(fresh);
    fresh.scrollTop = scrollTop;
  }
}

// Times are drawn by the browser, so their words do not count as a change.
function said(item) {
  return [...item.children].map((one) => one.getAttribute("datetime") ?? one.outerHTML).join();
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
    if (!CHANGING.has(detail.event) && !TELLING.has(detail.data?.type)) return;
    clearTimeout(due);
    due = setTimeout(refresh, SOON_MS);
  });
}
