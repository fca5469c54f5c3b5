import js from "@eslint/js";

const BROWSER = ["document", "window", "getComputedStyle", "requestAnimationFrame", "setTimeout", "ImageData",
  "MutationObserver", "ResizeObserver"];

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
  { files: ["*.js"], languageOptions: { globals: Object.fromEntries(BROWSER.map((name) => [name, "readonly"])) } },
];
