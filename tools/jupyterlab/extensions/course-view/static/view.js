// After Shift + Enter, what the cell made is in view. JupyterLab alone keeps the next cell in its place, so that a tall
// output grows upward, out of sight. This is a JupyterLab extension in the form that build tools give one: an object
// with `init`, which gets JupyterLab's own modules, and `get`, which gives the plugin.

(() => {
  const SETTLING = 3000; // milliseconds in which an output may still grow, as an interactive view does
  let modules;

  const imported = async (name) => (await Object.values(modules[name])[0].get())();

  /** Scroll as little as possible, but rather show the top of a tall output than its end. */
  function bringIntoView(output, scroller) {
    const [made, seen] = [output, scroller].map((node) => node.getBoundingClientRect());
    const [above, below] = [made.top - seen.top - 8, made.bottom - seen.bottom + 8];
    if (above < 0) scroller.scrollTop += above;
    else if (below > 0) scroller.scrollTop += Math.min(above, below);
  }

  /** Keep it in view until it has settled, or the learner does something. */
  function follow(output, scroller) {
    const show = () => bringIntoView(output, scroller);
    const growth = new ResizeObserver(show);
    const acts = new AbortController();
    const stop = () => {
      growth.disconnect();
      acts.abort();
    };
    for (const act of ["wheel", "pointerdown", "keydown", "touchstart"]) {
      window.addEventListener(act, stop, { capture: true, passive: true, signal: acts.signal });
    }
    growth.observe(output);
    window.setTimeout(stop, SETTLING);
  }

  async function activate() {
    const { NotebookActions } = await imported("@jupyterlab/notebook");
    NotebookActions.executed.connect((_, { notebook, cell }) => {
      const passed = notebook.activeCellIndex - notebook.widgets.indexOf(cell);
      const output = cell.outputArea?.node;
      if (output && (passed === 0 || passed === 1)) follow(output, notebook.outerNode); // else the learner has gone on
    });
  }

  window._JUPYTERLAB = window._JUPYTERLAB ?? {};
  window._JUPYTERLAB["course-view"] = {
    init: (scope) => void (modules = scope),
    get: async () => () => ({ __esModule: true, default: { id: "course-view:plugin", autoStart: true, activate } }),
  };
})();
