// The statements of a migration, in their order, without a database.

export type Said = { by: 'addSql' | 'execute' | 'buildIndex' | 'dropIndex'; sql: string }
type MigrationClass = new (driver: unknown, config: unknown) => { up(): unknown; down(): unknown }

/** `module` is the module of a migration, which may be of another tree. */
export async function statementsOf(module: object, direction: 'up' | 'down' = 'up'): Promise<Said[]> {
  const said: Said[] = []
  const listen = (by: Said['by']) => (sql: string) => {
    said.push({ by, sql: by === 'dropIndex' ? `drop index concurrently if exists "${sql}"` : sql })
  }
  const [Migration] = Object.values(module) as MigrationClass[]
  if (!Migration) throw new Error('this module has no migration')
  const [addSql, execute] = [listen('addSql'), listen('execute')]
  const methods = { addSql, execute, buildIndex: listen('buildIndex'), dropIndex: listen('dropIndex') }
  await Object.assign(new Migration(undefined, undefined), methods)[direction]()
  return said
}
