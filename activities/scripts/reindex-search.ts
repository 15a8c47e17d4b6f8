// Rebuilds the search texts of every record: after a change of how they are made, or when an index is in doubt.
import { idsAfter, rewriteWords, searchTables } from '../../entities/platform/search-words.ts'
import { type Script, ScriptRefusal } from './script.ts'
import { countsText, place, type Visited, type Walk, walkOn } from './walk.ts'

/** A row may hold a megabyte. */
const rowsMax = 100

export const reindexSearch: Script = async (em, value, progress) => {
  if (value && !searchTables.includes(value))
    throw new ScriptRefusal(`No such table has search texts; these have: ${searchTables.join(', ')}.`)
  const tables = value ? [value] : searchTables
  const walk = await walkOn(tables, progress as Walk | null, async (table, rows): Promise<Visited> => {
    const ids = 'only' in rows ? [rows.only] : await idsAfter(em, table, rows.after, rowsMax)
    const { changed, busy } = await rewriteWords(em, table, ids, 'only' in rows)
    return {
      last: ids.length < rowsMax ? null : (ids.at(-1) ?? null),
      busy,
      counts: { read: ids.length - busy.length, changed },
    }
  })
  const done = `Read: ${countsText(walk.counts.read)}. Had other words: ${countsText(walk.counts.changed)}.`
  return {
    progress: walk,
    message: walk.at === null ? done : `Table ${place(tables, walk.at)}. ${done}`,
    over: walk.at === null,
  }
}
