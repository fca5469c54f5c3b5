// After Shift + Enter, what the cell made is in view. JupyterLab alone keeps the next cell in its place, so that a tall
// output grows upward, out of sight. And a link to a cell selects it: JupyterLab alone moves the view, and the next key
// acts on a cell out of sight. And an autosave that fails, as on a full disk, says so once, not every 15 seconds.
// This is a JupyterLab extension in the form that build tools give one: an object with `init`, which gets JupyterLab's
// own modules, and `get`, which gives the plugin.

(() => {
  const SETTLING = 3000; // milliseconds in which an output may still grow, as an interactive view does
  const OPENING = 60000; // the same for a whole notebook, on a busy machine
  let modules;

  const imported = async (name) => (await Object.values(modules[name])[0].get())();

  /** Scroll as little as possible, but rather show the top of a tall output than its end. */
  function bringIntoView(output, scroller) {
    const [made, seen] = [output, scroller].map((node) => node.getBoundingClientRect());
    const [above, below] = [made.top - seen.top - 8, made.bottom - seen.bottom + 8];
    if (above < 0) scroller.scrollTop += above;
    else if (below > 0) scroller.scrollTop += Math.min(above, below);
  }

  /** Call `show` now and whenever `growing` grows, until it has settled, or the learner does something. */
  function follow(growing, show, milliseconds) {
    const growth = new ResizeObserver(show);
    const acts = new AbortController();
    const stop = () => {
      growth.disconnect();
      acts.abort();
    };
    for (const act of ["wheel", "pointerdown", "keydown", "touchstart"]) {
      window.addEventListener(act, stop, { capture: true, passive: true, signal: acts.signal });
    }
    growth.observe(growing);
    window.setTimeout(stop, milliseconds);
  }

  /** Make the cell the only one that is selected, and keep it in the middle while the notebook takes its shape. */
  function goTo(notebook, index) {
    notebook.mode = "command";
    notebook.deselectAll();
    notebook.activeCellIndex = index;
    notebook.activate();
    const { node } = notebook.widgets[index];
    const place = () => (node.clientHeight < notebook.outerNode.clientHeight ? "center" : "start");
    follow(notebook.viewportNode, () => node.scrollIntoView({ block: place() }), OPENING);
  }

  /** Close a message about saving that was read already, until a notebook is saved or somebody asks for that again. */
  async function sayOnce(app, notebooks) {
    const { Dialog } = await imported("@jupyterlab/apputils");
    const said = new Set();
    Dialog.tracker.widgetAdded.connect((_, dialog) => {
      const text = dialog.node.textContent;
      if (!text.startsWith("Unexpected error while saving file")) return; // which is what the server says
      if (said.has(text)) queueMicrotask(() => dialog.reject()); // after it was launched, before it is shown
      said.add(text);
    });
    app.commands.commandExecuted.connect((_, { id }) => id.startsWith("docmanager:save") && said.clear());
    const watch = ({ context }) => context.saveState.connect((_, state) => state === "completed" && said.clear());
    notebooks.forEach(watch);
    notebooks.widgetAdded.connect((_, panel) => watch(panel));
  }

  async function activate(app, notebooks) {
    await sayOnce(app, notebooks);
    const { Notebook, NotebookActions } = await imported("@jupyterlab/notebook");
    NotebookActions.executed.connect((_, { notebook, cell }) => {
      const passed = notebook.activeCellIndex - notebook.widgets.indexOf(cell);
      const output = cell.outputArea?.node;
      if (!output || (passed !== 0 && passed !== 1)) return; // the learner has gone on
      follow(output, () => bringIntoView(output, notebook.outerNode), SETTLING);
    });
    const { setFragment } = Notebook.prototype;
    Notebook.prototype.setFragment = function (fragment) {
      const index = this.widgets.findIndex((cell) => fragment === `#cell-id=${cell.model.id}`);
      return index < 0 ? setFragment.call(this, fragment) : goTo(this, index);
    };
  }

  window._JUPYTERLAB = window._JUPYTERLAB ?? {};
  window._JUPYTERLAB["course-view"] = {
    init: (scope) => void (modules = scope),
    get: async () => {
      const requires = [(await imported("@jupyterlab/notebook")).INotebookTracker];
      return () => ({ __esModule: true, default: { id: "course-view:plugin", autoStart: true, requires, activate } });
    },
  };
})();
