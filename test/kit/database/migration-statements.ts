// The statements of a migration, in their order, without a database.

type Said = { by: 'addSql' | 'execute' | 'buildIndex' | 'dropIndex'; sql: string }
type MigrationClass = new (driver: unknown, config: unknown) => { up(): unknown; down(): unknown }

/** `module` is the module of a migration, which may be of another tree. */
export async function statementsOf(module: object, direction: 'up' | 'down' = 'up'): Promise<Said[]> {
  const said: Said[] = []
  const listen = (by: Said['by']) => (sql: string) => void said.push({ by, sql })
  const drop = (by: Said['by'], name: string) => listen(by)(`drop index concurrently if exists ${name}`)
  const methods = {
    addSql: listen('addSql'),
    execute: listen('execute'),
    buildIndex(sql: string) {
      const [name] = /"\w+"/.exec(sql) as RegExpExecArray
      drop('buildIndex', name)
      listen('buildIndex')(sql)
    },
    dropIndex: (name: string) => drop('dropIndex', `"${name}"`),
  }
  const [Migration] = Object.values(module) as MigrationClass[]
  if (!Migration) throw new Error('this module has no migration')
  await Object.assign(new Migration(undefined, undefined), methods)[direction]()
  return said
}
