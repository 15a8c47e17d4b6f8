// Statements that PostgreSQL could not read, found in its log.
import fs from 'node:fs'
import path from 'node:path'

/**
 * PostgreSQL refuses a statement that fails with any values, such as one in which a name stands twice. A worker repeats
 * it without end.
 */
const refusals = ['syntax error at', 'specified more than once', 'missing FROM-clause entry', 'is ambiguous']
const error = `ERROR: {2}(.*(?:${refusals.join('|')}|column .* does not exist).*)\\n`
const statement = '.*STATEMENT: {2}(.*(?:\\n\\t.*)*)'
const unreadable = new RegExp(`${error}(?:.*(?:HINT|DETAIL): .*\\n)*${statement}`, 'g')
/** Of tests of what follows such an error. */
const intended = ['begin;selec 1', 'select $1 from from']

/** Throws if there is one in `postgres.log` of the folder. A stack without PostgreSQL has no such file. */
export function mustBeReadable(logs: string): void {
  const file = path.join(logs, 'postgres.log')
  const log = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
  const found = [...log.matchAll(unreadable)]
    .filter(([, , statement]) => !intended.includes(statement as string))
    .map(([, message, statement]) => `${message}\n\t${statement}`)
  if (found.length > 0) throw new Error(`PostgreSQL could not read statements:\n${[...new Set(found)].join('\n')}`)
}
