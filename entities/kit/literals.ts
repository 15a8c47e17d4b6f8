// Texts as literals of SQL, as `pg.escapeLiteral` writes them. That one adds one character after the other: of a megabyte it makes a million strings.
export function escapeLiteral(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`
  return text.includes('\\') ? ` E${quoted.replaceAll('\\', '\\\\')}` : quoted
}
