// What is used of packages that bring no types of their own. The first is CommonJS: what it exports by default is a
// member of what is imported.
declare module 'mjml-core' {
  const core: {
    default: (
      source: string,
      options: object,
    ) => Promise<{ html: string; errors: { line: number; message: string; tagName: string }[] }>
  }
  export default core
}
declare module 'mjml-preset-core' {
  const preset: object
  export default preset
}
declare module 'html-to-text' {
  export const compile: (options: object) => (html: string) => string
}
