// Texts as SQL literals, as `escapeLiteral` of pg and of MikroORM writes them. Those append single characters: three
// megabytes hold the event loop for 0.6 to 1.4 s instead of 0.03 s.
export function escapeLiteral(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`
  return text.includes('\\') ? ` E${quoted.replaceAll('\\', '\\\\')}` : quoted
}
