// Without it: the server shows both texts on the page. When somebody saved in between: what differs, and whose text to keep.
export function conflictDialog(editor) {
  const dialog = document.getElementById("both");
  let theirs = null;

  editor.addEventListener("conflict", ({ detail }) => {
    theirs = detail;
    const place = dialog.querySelector("[data-both]");
    place.innerHTML = detail.difference;
    const button = document.createElement("button");
    button.className = "c-button c-button--sm";
    button.type = "button";
    button.textContent = "See both";
    button.addEventListener("click", () => dialog.showModal());
    editor.sayNote(detail.refused, button);
  });

  dialog.addEventListener("click", async (event) => {
    const choice = event.target.closest("[data-take]")?.dataset.take;
    if (!choice || !theirs) return;
    dialog.close();
    editor.saving.took(theirs.stored, theirs.number);
    editor.sayNote("");
    if (choice === "theirs") {
      editor.yaml.replaceText(theirs.stored);
      await editor.check();
    } else {
      await editor.saving.now();
    }
    theirs = null;
  });
}
