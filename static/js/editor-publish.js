// Without it: a note and a button beside the YAML publish it. Publishes what stands in the editor; errors keep the dialog open.
import { sayIn } from "./editor-note.js";
import { ask, sentenceOf } from "./editor-server.js";

export function publishing(editor) {
  const form = document.getElementById("publish-form");
  const dialog = form.closest("dialog");
  const opener = document.querySelector('[data-opens="publish"]');
  const said = form.querySelector("[data-publish-said]");

  editor.addEventListener("shown", ({ detail }) => {
    const errors = detail.problems.filter((problem) => problem.severity === "error").length;
    const same = document.getElementById("ready").dataset.same ?? "";
    const reason = errors ? `${errors === 1 ? "One problem stands" : `${errors} problems stand`} in its way. F8 shows the next.` : same;
    opener.toggleAttribute("data-opens", true);
    opener.dataset.opens = reason ? "" : "publish";
    opener.ariaDisabled = reason ? "true" : "false";
    opener.title = reason;
    const sentences = document.querySelectorAll("#granted-tools > li");
    if (sentences.length) document.getElementById("granted").replaceChildren(...[...sentences].map((one) => one.cloneNode(true)));
  });

  opener.addEventListener("click", () => {
    if (opener.ariaDisabled === "true") editor.yaml.nextProblem?.();
  });

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("[type=submit]");
    button.setAttribute("aria-busy", "true");
    await editor.work;
    await editor.saving.running;
    const text = editor.text;
    const note = form.elements.note.value;
    const reply = await ask(form.action, { text, note, base: editor.saving.number });
    button.removeAttribute("aria-busy");
    if (reply.status === 200) {
      editor.saving.saved = text;
      location.assign(reply.answer.url);
      return;
    }
    if (reply.answer?.stored !== undefined) {
      dialog.close();
      editor.saving.refuse(reply);
      return;
    }
    if (reply.answer?.number) editor.saving.took(text, reply.answer.number);
    sayIn(said, sentenceOf(reply));
  });
}
