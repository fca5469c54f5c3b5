import js from "@eslint/js";

const BROWSER = ["document", "window", "getComputedStyle", "requestAnimationFrame", "setTimeout", "ImageData",
  "AbortController", "KeyboardEvent", "MutationObserver", "Node", "ResizeObserver", "queueMicrotask"];

const readonly = (names) => Object.fromEntries(names.map((name) => [name, "readonly"]));

export default [
  js.configs.recommended,
  {
    rules: {
      "no-var": "error",
      "prefer-const": "error",
      eqeqeq: "error",
      "max-len": ["error", { code: 120 }],
    },
  },
  { files: ["explorers/*.js", "feedback/*.js"], languageOptions: { globals: readonly(BROWSER) } },
  {
    files: ["site/static/*.js", "tools/jupyterlab/**/*.js"],
    languageOptions: { sourceType: "script", globals: readonly([...BROWSER, "atob", "IntersectionObserver"]) },
  },
  { files: ["explorers/test/*.js"], languageOptions: { globals: readonly(["URL"]) } },
];
