// Loaded on the first Ctrl-F.
export { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from "@codemirror/search";
