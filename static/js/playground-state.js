// Without it: the tab leads to the page of the state. It is read when its tab is opened, and again when something of it changed.
import { chosenRollout } from "./playground-rollouts.js";

const OF_STATE = /^(state\.|timer\.|tool\.|agent\.(invocation|input|thought)|approval\.|rollout\.)/;
const pane = document.getElementById("state");
const address = pane?.querySelector("[data-loads]")?.href;

async function read() {
  if (!address || pane.closest("[hidden]")) return;
  try {
    const rollout = chosenRollout();
    const answer = await fetch(rollout ? `${address}?rollout=${rollout}` : address, { headers: { "HX-Request": "true" } });
    if (answer.ok && !pane.contains(document.activeElement?.closest?.("form"))) pane.innerHTML = await answer.text();
  } catch {
    // The server cannot be reached; the connection note says so.
  }
}

document.querySelector("#inspector tab-set")?.addEventListener("tab", read);
document.addEventListener("rollout", read);
document.querySelector("session-stream")?.addEventListener("frame", ({ detail }) => {
  if (detail.event === "event" && OF_STATE.test(detail.data.type ?? "")) read();
});
