// The seam that Handlebars documents in its docs/compiler-api.md and leaves out of its types.
declare namespace Handlebars {
  let JavaScriptCompiler: new () => {
    pushSource(source: unknown): void;
    appendToBuffer(source: unknown): unknown;
    popStack(): unknown;
  };
}
