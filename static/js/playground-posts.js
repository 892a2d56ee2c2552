// Without it: the form posts and the page is loaded again. form[data-post] posts in place; its effect comes by the stream.
import { post, showProblem } from "./playground-server.js";

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("form[data-post]") || !document.querySelector("session-stream")) return;
  event.preventDefault();
  const pressed = event.submitter;
  if (pressed?.ariaBusy === "true") return;
  pressed?.setAttribute("aria-busy", "true");
  try {
    await post(form.action, new FormData(form, pressed));
    showProblem("");
    form.closest("dialog")?.close();
  } catch (error) {
    form.closest("dialog")?.close();
    showProblem(error.message);
  } finally {
    pressed?.removeAttribute("aria-busy");
  }
});

// The first message of a new session: Enter sends, Shift+Enter makes a new line.
document.addEventListener("keydown", (event) => {
  const form = event.target.closest?.("form[data-starts]");
  if (!form || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  if (event.target.value.trim()) form.requestSubmit();
});

const first = document.querySelector("form[data-starts] textarea");
if (matchMedia("(pointer: fine)").matches) first?.focus(); // on a phone that would open its keyboard
