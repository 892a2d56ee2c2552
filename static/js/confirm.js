// Without it: what cannot be undone is done at once. <form data-confirms="Sentence." data-confirms-word="Delete"> asks first.
const asked = new WeakSet();

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset.confirms || asked.has(form)) return;
  event.preventDefault();
  const dialog = dialogFor(form.dataset.confirms, form.dataset.confirmsWord ?? "Go on");
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (dialog.returnValue !== "yes") return;
    asked.add(form);
    form.requestSubmit();
  });
  document.getElementById("dialogs").append(dialog);
  dialog.showModal();
});

function dialogFor(sentence, word) {
  const dialog = document.createElement("dialog");
  dialog.className = "c-dialog c-dialog--sm";
  dialog.setAttribute("aria-labelledby", "confirm-title");
  const head = element("header", "c-dialog__head");
  const title = element("h2", "", sentence);
  title.id = "confirm-title";
  head.append(title);
  const form = element("form", "");
  form.method = "dialog";
  const foot = element("footer", "c-dialog__foot");
  const yes = element("button", "c-button c-button--danger", word);
  yes.value = "yes";
  foot.append(element("button", "c-button", "Cancel"), yes);
  form.append(head, foot);
  dialog.append(form);
  return dialog;
}

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}
