// Texts as SQL literals, as `pg.escapeLiteral` writes them, which appends single characters: a million strings for a megabyte.
export function escapeLiteral(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`
  return text.includes('\\') ? ` E${quoted.replaceAll('\\', '\\\\')}` : quoted
}
