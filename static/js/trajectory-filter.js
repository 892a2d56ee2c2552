// Without it: the address of a filtered list names all that is shown. It names only what differs from showing everything.
export function tidy(event) {
  const { parameters } = event.detail;
  if (!event.target.matches("#trajectory-filter")) return;
  const shown = [parameters.show ?? []].flat();
  const all = event.target.querySelectorAll('[name="show"]').length;
  for (const name of ["q", "e"]) if (!parameters[name]) delete parameters[name];
  if (shown.length === all) for (const name of ["f", "show"]) delete parameters[name];
}
