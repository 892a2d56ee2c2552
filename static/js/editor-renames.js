// Without it: the server draws the page anew after a rename. What is posted late follows what it belongs to to its new name.
const OF_STATE = { rename_state: "states.", rename_variable: "states.variables." };

export class Renames {
  #done = [];

  /** Notes the renames among fields that the server has taken. */
  note(fields) {
    for (const [name, typed] of Object.entries(fields)) {
      const [kind, old] = parted(name);
      if (kind in OF_STATE) this.#done.push({ kind, old, now: typed.trim() || old });
    }
  }

  /** A field as it is named now; gives {name: value} when asked, under the name of then. */
  following(name, value) {
    const seen = this.#done.length;
    return () => ({ [this.#done.slice(seen).reduce(renamed, name)]: value });
  }
}

function renamed(name, { kind, old, now }) {
  const path = `field:${OF_STATE[kind]}`;
  if (name === `${kind}:${old}`) return `${kind}:${now}`;
  return name.startsWith(`${path}${old}.`) ? `${path}${now}.${name.slice(path.length + old.length + 1)}` : name;
}

function parted(name) {
  const at = name.indexOf(":");
  return [name.slice(0, at), name.slice(at + 1)];
}
